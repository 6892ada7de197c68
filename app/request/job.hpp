// Shared by the verbs that take problems and a device: reads them, and refuses what cannot run.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/console.hpp"
#include "host/devices.hpp"
#include "request/options.hpp"
#include "search/runner.hpp"
#include "stats/sample.hpp"
#include "store/problems.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// The workload that the options describe, without sizes. Throws a usage error.
Workload parse_kind(const KindOptions& kind);

/// read_problem_argument() of each.
std::vector<ProblemArgument> read_arguments(const std::vector<std::string>& texts);

/// The workloads of all arguments. Throws a usage error for a malformed one.
std::vector<Workload> read_workloads(const std::vector<ProblemArgument>& arguments,
                                     const KindOptions& kind);

/// Like read_workloads for a verb that takes exactly one.
Workload read_workload(const ProblemArgument& argument, const KindOptions& kind);
inline Workload read_workload(const std::string& text, const KindOptions& kind) {
  return read_workload(read_problem_argument(text), kind);
}

/// As read_workloads(), for kernels that will run. Throws a usage error with the reason where no
/// kernel family runs the workload.
std::vector<Workload> read_runnable(const std::vector<ProblemArgument>& arguments,
                                    const KindOptions& kind);

/// Like read_runnable for a verb that takes exactly one.
Workload read_runnable_one(const ProblemArgument& argument, const KindOptions& kind);

/// Throws a usage error for a product that GPUs share: "OPTION is for products of one GPU".
void require_one_gpu(std::span<const Workload> workloads, std::string_view option);

/// Throws a usage error for a launch that keeps to more multiprocessors than the device has.
void require_sms(const Workload& workload, const DeviceSpec& device);
/// The same, and when the problem's operands exceed the device's memory.
void require_room(const Workload& workload, const DeviceSpec& device);

/// One line on an internal error in one problem.
std::string internal_error_line(const Workload& problem, const std::exception& error);

/// Calls `work` for one problem of several, and returns the higher of its code and `before`. An
/// internal error ends only that problem: it is printed on `err`, and its code is Internal.
ExitCode attempt(const Workload& problem, ExitCode before, Console& console,
                 const std::function<ExitCode()>& work);

/// A workload's name in a progress bar: its sizes, or its number of products.
std::string short_name(const Workload& workload);

/// Throws an environment error where nothing runs and the model has no times for the regime: it
/// models launches that find none of their data in L2.
void require_regime(Regime regime, const ResolvedDevice& device);

/// The regime in a headline, for example ", hot launches"; empty for rotating ones.
std::string regime_words(Regime regime);

/// Prints a line on `err` when "auto" fell back to a preset, one when nothing runs, and
/// explain_rates().
void explain_device(const ResolvedDevice& device, Console& console);

/// A line for `err` when some of the model's rates come from another device; otherwise none.
std::vector<std::string> rates_notes(const DeviceSpec& device);
/// Prints rates_notes().
void explain_rates(const DeviceSpec& device, Console& console);

/// The width of tables in columns: a terminal's width, no limit elsewhere.
int table_width(const Console& console);

/// One line about rows that the file pins and the tune keeps, and how many answers they replace.
std::string pinned_line(const std::string& path, size_t pinned, int64_t replaced);

/// "2026-11-23", and "2026-11-23T20:31:07.250000Z", in UTC. Runs are sorted by the second form; its
/// microseconds keep the order of runs that begin within one second.
std::string today();
std::string now();

/// Microseconds with the significant digits only.
std::string time_text(double us);
/// The same; empty without a time.
std::string time_text(const std::optional<double>& us);

/// "1.004 (1.001-1.006)".
std::string ratio_text(const PairedRatio& ratio);

}  // namespace tilewright
