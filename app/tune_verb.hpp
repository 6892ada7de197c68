// tilewright tune behind its command line; tests call these functions with devices of their own.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "console.hpp"
#include "devices.hpp"
#include "tile/workload/workload.hpp"
#include "tune_request.hpp"
#include "tune_share.hpp"

namespace tilewright {

/// Tunes each problem of the share once, on several devices at once. Results so far survive an
/// interrupt, a problem that fails, and a device that fails, which loses only its present problem.
/// Returns Good; No when nothing was legal for some problem; WrongResult when for some problem
/// every kernel that ran was wrong (a wrong kernel beside right ones is reported on stderr and in
/// the artefact, and changes no exit code); Interrupted.
ExitCode tune_problems(const TuneRequest& request, const TuneShare& share,
                       const std::vector<ResolvedDevice>& devices, Console& console);

/// Searches the parameters of `request.harness` for each problem, and puts the winner into
/// `request.output`. Measurements survive an interrupt. Exit codes as tune_problems(), and No where
/// the harness does not take a problem.
ExitCode tune_harness(const TuneRequest& request, const std::vector<Workload>& problems,
                      Console& console);

/// Shows how soon each strategy finds the best of the configs that `request.replay` has times for;
/// nothing runs. Throws a usage error for a problem without times.
ExitCode replay_tune(const TuneRequest& request, const std::vector<Workload>& problems,
                     const ResolvedDevice& device, Console& console);

/// Times the winners of `request.dispatch` at products that were not tuned (without arguments, at
/// all those between neighbours), and divides the space between them. With `request.replay` a
/// store's times replace measurements. Measurements survive an interrupt.
ExitCode tune_dispatch(const TuneRequest& request, Console& console, const BackendLoader& load);

/// Times the choices of `request.pin_library` at products beside the library's algorithms, and adds
/// the pins to the entries in `request.output`. Without arguments it takes all products that have
/// no pin for this process's version of cuBLASLt. Measurements survive an interrupt. Exit codes as
/// tune_problems().
ExitCode pin_library(const TuneRequest& request, Console& console, const BackendLoader& load);

}  // namespace tilewright
