// tilewright tune behind its command line; tests call these functions with devices of their own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/console.hpp"
#include "host/devices.hpp"
#include "render/report.hpp"
#include "request/tune_request.hpp"
#include "request/tune_share.hpp"
#include "tile/workload/workload.hpp"
#include "verbs/earlier_runs.hpp"
#include "verbs/tuner_pool.hpp"

namespace tilewright {

/// The problems of a share: each index is in exactly one of the two.
struct TuneAgenda {
  std::vector<TunerPool::Task> tasks;    // to search, in the order of the problems
  std::map<size_t, EarlierAnswer> kept;  // answered already, by index
};

/// Keeps all answers. A problem without one goes to the device that began it, if there is one.
TuneAgenda agenda_of(const TuneShare& share, const std::map<std::string, EarlierAnswer>& answers,
                     const TunerPool& pool);

/// Tunes each problem of the share once, on several devices at once, and shows its rows when it is
/// done. Results so far survive an interrupt, a problem that fails, and a device that fails, which
/// loses only its present problem. The code is Good; No when nothing was legal for some problem;
/// WrongResult when for some problem every kernel that ran was wrong (a wrong kernel beside right
/// ones is reported on stderr and in the artefact, and changes no exit code); Interrupted.
Report tune_problems(const TuneRequest& request, const TuneShare& share,
                     const std::vector<ResolvedDevice>& devices, const ReportSink& show,
                     Console& console);

/// Searches the parameters of `request.harness` for each problem, and puts the winner into
/// `request.output`. Measurements survive an interrupt. Codes as tune_problems(), and No where the
/// harness does not take a problem.
Report tune_harness(const TuneRequest& request, const std::vector<Workload>& problems,
                    const ReportSink& show, Console& console);

/// Shows how soon each strategy finds the best of the configs that `request.replay` has times for;
/// nothing runs. Throws a usage error for a problem without times.
Report replay_tune(const TuneRequest& request, const std::vector<Workload>& problems,
                   const ResolvedDevice& device, const ReportSink& show, Console& console);

/// Times the winners of `request.dispatch` at products that were not tuned (without arguments, at
/// all those between neighbours), and divides the space between them. With `request.replay` a
/// store's times replace measurements. Measurements survive an interrupt.
Report tune_dispatch(const TuneRequest& request, Console& console, const BackendLoader& load);

/// Times the choices of `request.pin_library` at products beside the library's algorithms, and adds
/// the pins to the entries in `request.output`. Without arguments it takes all products that have
/// no pin for this process's version of cuBLASLt. Measurements survive an interrupt. Codes as
/// tune_problems().
Report pin_library(const TuneRequest& request, Console& console, const BackendLoader& load);

}  // namespace tilewright
