// The gate without a GPU: exact numbers of every case, each against the baseline's.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gate/gate.hpp"
#include "search/result.hpp"

namespace tilewright {

/// The compiler of a run; `compiler` is null if there is none, and `why_none` has the reason.
/// Register counts of two compiler versions are not comparable, hence `version`.
struct StaticCompiler {
  KernelCompiler* compiler = nullptr;
  std::string version;
  std::string why_none;
};

/// All numbers but the compiler's, with the digest of the walk.
StaticNumbers exact_numbers(const Workload& workload, const TileConfig& config,
                            const DeviceSpec& device);
StaticNumbers exact_numbers(const Plan& plan, const DeviceSpec& device);

/// The default StaticPricer.
inline StaticNumbers price_config(const Workload& workload, const TileConfig& config,
                                  const DeviceSpec& device) {
  return exact_numbers(workload, config, device);
}

/// Computes the numbers of a config; tests inject a worse walk or another price with it. If it
/// leaves `prices` empty, the gate fills in price_digest().
using StaticPricer =
    std::function<StaticNumbers(const Workload&, const TileConfig&, const DeviceSpec&)>;

/// Compares number by number. A regression is a predicted time that is longer by more than
/// `threshold` (a fraction), any other number that is larger, and a tile that is not computed
/// exactly once, whatever the baseline has. Bytes may differ by rounding (1e-9). Slots and overhang
/// compare only between equal tiles; registers and shared memory are shown, never judged. The rules
/// select the other judged numbers, and whether a shorter time excuses bytes and waves.
CaseVerdict judge_exact(const CaseNumbers& now, const CaseNumbers* before, double threshold,
                        const CaseRules& rules = {});

/// Runs a suite; without a `baseline` it only computes the numbers.
///
///   config     walk       numbers   verdict
///   equal      equal      equal     pass
///   equal      equal      other     model changed
///   equal      other      any       by the numbers, against the recorded ones
///   other      any        any       by the numbers, against the baseline's config by today's code;
///                                   if that config's walk changed, against the recorded ones too
///
/// A baseline without digests compares as if its walks had changed. Compiler numbers that cannot be
/// compared (no compiler here, or another version) add a verdict Environment; if the run or the
/// baseline has none, a note reports it.
GateRun run_static_gate(std::span<const GateCase> cases, const DeviceSpec& device,
                        const StaticCompiler& compiler, const Baseline* baseline, double threshold,
                        ProgressListener& progress, const StaticPricer& price = price_config);

}  // namespace tilewright
