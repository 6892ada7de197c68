// What the verbs that take problems and a device share: reading them and refusing what cannot be.
#pragma once

#include <exception>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "console.hpp"
#include "devices.hpp"
#include "options.hpp"
#include "search/runner.hpp"
#include "stats/sample.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// What the options say of a workload, without sizes. Throws a usage error.
Workload parse_kind(const KindOptions& kind);

/// The workloads of all arguments. Throws a usage error for a malformed one.
std::vector<Workload> read_workloads(const std::vector<std::string>& arguments,
                                     const KindOptions& kind);

/// Like read_workloads for a verb that takes exactly one.
Workload read_workload(const std::string& argument, const KindOptions& kind);

/// The same where kernels are to run. Throws a usage error with the reason for what no kernel
/// family runs.
std::vector<Workload> read_runnable(const std::vector<std::string>& arguments,
                                    const KindOptions& kind);

/// Like read_runnable for a verb that takes exactly one.
Workload read_runnable_one(const std::string& argument, const KindOptions& kind);

/// Throws a usage error when the problem's operands exceed the device's memory.
void require_memory(const Workload& workload, const DeviceSpec& device);

/// One line on an internal error in one problem.
std::string internal_error_line(const Workload& problem, const std::exception& error);

/// Works on one problem of several, and answers with the higher of its code and `before`. An
/// internal error costs that problem alone: it is reported on `err`, and its code is Internal.
ExitCode attempt(const Workload& problem, ExitCode before, Console& console,
                 const std::function<ExitCode()>& work);

/// What a progress bar calls a workload: its sizes, or how many products it has.
std::string short_name(const Workload& workload);

/// Throws a usage error for no regime, an environment error where nothing runs and the model, which
/// knows launches that find nothing of their own in L2, has no times of it.
void require_regime(const std::string& regime, const ResolvedDevice& device);

/// What a headline adds of how launches were timed, ", hot launches"; empty of rotating ones.
std::string regime_words(Regime regime);

/// Lines on `err` when "auto" fell back to a preset, when nothing runs, and of explain_rates().
void explain_device(const ResolvedDevice& device, Console& console);

/// One line on `err` about rates of the model that are another device's, when there are any.
void explain_rates(const DeviceSpec& device, Console& console);
/// The same of a device by its name; an empty one is none.
void explain_rates_of(const std::string& device, Console& console);

/// Columns that a table may take: a terminal's width, no limit elsewhere.
int table_width(const Console& console);

/// One line on rows that are kept as they were pinned in a file, and how many answers they replace.
std::string pinned_line(const std::string& path, size_t pinned, int64_t replaced);

/// "2026-11-23", and "2026-11-23T20:31:07.250000Z", in universal time. Runs are sorted by the
/// second one: two that began within one second keep their order.
std::string today();
std::string now();

/// Microseconds with as many digits as mean something.
std::string time_text(double us);

/// "1.004 (1.001-1.006)".
std::string ratio_text(const PairedRatio& ratio);

}  // namespace tilewright
