// The verbs: options in, exit code out. They throw Error; main turns it into a message and a code.
#pragma once

#include <vector>

#include "base/error.hpp"
#include "console.hpp"
#include "devices.hpp"
#include "launcher.hpp"
#include "options.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

ExitCode run_analyze_grid(const GridOptions& options, Console& console);
ExitCode run_rank_grid(const GridOptions& options, Console& console);
ExitCode run_analyze_access(const AccessOptions& options, Console& console);
ExitCode run_analyze_layout(const LayoutOptions& options, Console& console);
ExitCode run_analyze_nested(const NestedOptions& options, Console& console);
ExitCode run_analyze_swizzle(const SwizzleOptions& options, Console& console);
ExitCode run_analyze_schedule(const ScheduleOptions& options, Console& console);
ExitCode run_draw_grid(const GridOptions& options, Console& console);
ExitCode run_draw_access(const AccessOptions& options, Console& console);
ExitCode run_draw_swizzle(const SwizzleOptions& options, Console& console);
ExitCode run_draw_nested(const NestedOptions& options, Console& console);
ExitCode run_draw_schedule(const DrawScheduleOptions& options, Console& console);
ExitCode run_draw_trace(const DrawTraceOptions& options, Console& console);
ExitCode run_draw_layout(const DrawLayoutOptions& options, Console& console);
ExitCode run_tune(const TuneOptions& options, Console& console,
                  const BackendLoader& load = load_backend);
ExitCode run_bench(const BenchOptions& options, Console& console);
ExitCode run_profile(const ProfileOptions& options, Console& console);
ExitCode run_profile_access(const AccessOptions& options, Console& console);
ExitCode run_worker(const WorkerOptions& options);
ExitCode run_merge(const MergeOptions& options, Console& console);
ExitCode run_best(const BestOptions& options, Console& console);
ExitCode run_gate(const GateOptions& options, Console& console,
                  const BackendLoader& load = load_backend);
ExitCode run_device(const DeviceOptions& options, Console& console,
                    const BackendLoader& load = load_backend);

// tilewright tune, after its words were read: what the tests call with devices of their own.

/// A command's problems, and those of them that this process is to tune.
struct TuneShare {
  std::vector<Workload> problems;
  std::vector<size_t> places;  // in `problems`, ascending
  Rank rank;
  std::vector<std::string> stores = {};  // of other ranks, whose answers are kept
};

/// The share that a rank has of the problems, the same for who computes it anywhere and whatever is
/// done of them: who is to do a problem never depends on what others are writing meanwhile.
TuneShare share_of(const std::vector<Workload>& problems, const Rank& rank = {});

/// Tunes each problem of the share once, several devices at once; results so far survive an
/// interrupt, a failing problem and a device that ends, which costs what it was at. Good;
/// No when nothing was legal for some problem; WrongResult when for some problem every kernel that
/// ran was wrong (a wrong kernel beside right ones is reported on stderr and in the artefact, and
/// changes no exit code); Interrupted.
ExitCode tune_problems(const TuneOptions& options, const TuneShare& share,
                       const std::vector<ResolvedDevice>& devices, Console& console);

/// Shows how soon each strategy finds the best of the configs that `options.replay` has times of;
/// nothing runs. Throws a usage error for a problem that it has none of.
ExitCode replay_tune(const TuneOptions& options, const std::vector<Workload>& problems,
                     const ResolvedDevice& device, Console& console);

/// Times the winners of `options.dispatch` at products that were not tuned, all of those between
/// neighbours where none is named, and divides the space between them; with `options.replay` on a
/// store's times. What was measured outlives an interrupt.
ExitCode tune_dispatch(const TuneOptions& options, const Rank& rank, Console& console,
                       const BackendLoader& load);

// tilewright bench, after its words were read: what the tests call with devices of their own.

/// Throws when --against names nothing known (usage), or there is no GPU to run it, or --counters,
/// on (environment).
void require_measurable(const BenchOptions& options, const ResolvedDevice& device);

/// Runs the configs side by side. Good; No when one did not compile; WrongResult when one computed
/// wrong results (the others are still timed and printed).
ExitCode bench_configs(const BenchOptions& options, const Workload& workload,
                       const ResolvedDevice& device, Console& console);

// tilewright bench over many problems: each with its config of an artefact, one table.

/// Runs each problem with the artefact's choice, or with --config for all; what the artefact lacks
/// runs with the predicted best, and the table says so. Exit codes as bench_configs().
ExitCode bench_suite(const BenchOptions& options, const std::vector<Workload>& workloads,
                     const ResolvedDevice& device, Console& console);

// tilewright profile, after its words were read: what the tests call with devices of their own.

/// Prints one config's counters beside their predictions. Throws Environment where counters are
/// not permitted or a trace is asked of a preset, WrongResult for a wrong kernel, No for one that
/// does not compile.
ExitCode profile_config(const ProfileOptions& options, const Workload& workload,
                        const ResolvedDevice& device, Console& console);

// tilewright profile access, after its device was resolved: what the tests call with their own.

/// Prints each access's predicted wavefronts beside those that the hardware counted; a preset only
/// predicts. No where a measurement differs from its prediction or a check is violated; throws
/// Environment where counters are not permitted.
ExitCode profile_accesses(const AccessOptions& options, const ResolvedDevice& device,
                          Console& console);

// The parts of the verb device; tests call them with made-up devices.

/// `device calibrate`: measures the rates of a GPU, shows them beside the preset's, and writes the
/// device file when there is an output. Throws an environment error for a preset.
ExitCode calibrate_device(const DeviceOptions& options, const ResolvedDevice& device,
                          Console& console);

/// `device doctor`: what the host offers, line by line; Environment when something is in the way.
ExitCode diagnose_host(const DeviceOptions& options, Console& console, const BackendLoader& load);

}  // namespace tilewright
