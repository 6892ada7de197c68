// tilewright tune, after its words were read: what the tests call with devices of their own.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "console.hpp"
#include "devices.hpp"
#include "launcher.hpp"
#include "options.hpp"
#include "tile/workload/workload.hpp"
#include "tune_share.hpp"

namespace tilewright {

/// Tunes each problem of the share once, several devices at once; results so far survive an
/// interrupt, a failing problem and a device that ends, which costs what it was at. Good;
/// No when nothing was legal for some problem; WrongResult when for some problem every kernel that
/// ran was wrong (a wrong kernel beside right ones is reported on stderr and in the artefact, and
/// changes no exit code); Interrupted.
ExitCode tune_problems(const TuneOptions& options, const TuneShare& share,
                       const std::vector<ResolvedDevice>& devices, Console& console);

/// Searches over the parameters of `options.harness` for each problem, and puts what wins into
/// `options.output`. What was measured outlives an interrupt. Exit codes as tune_problems(), No too
/// where the harness does not take a problem.
ExitCode tune_harness(const TuneOptions& options, const std::vector<Workload>& problems,
                      Console& console);

/// Shows how soon each strategy finds the best of the configs that `options.replay` has times of;
/// nothing runs. Throws a usage error for a problem that it has none of.
ExitCode replay_tune(const TuneOptions& options, const std::vector<Workload>& problems,
                     const ResolvedDevice& device, Console& console);

/// Times the winners of `options.dispatch` at products that were not tuned, all of those between
/// neighbours where none is named, and divides the space between them; with `options.replay` on a
/// store's times. What was measured outlives an interrupt.
ExitCode tune_dispatch(const TuneOptions& options, const Rank& rank, Console& console,
                       const BackendLoader& load);

/// Times the choices of `options.pin_library` at products, all that have no pin of this process's
/// version of cuBLASLt where none is named, beside the library's algorithms, and adds the pins to
/// the entries in `options.output`. What was measured outlives an interrupt. Exit codes as
/// tune_problems().
ExitCode pin_library(const TuneOptions& options, const Rank& rank, Console& console,
                     const BackendLoader& load);

}  // namespace tilewright
