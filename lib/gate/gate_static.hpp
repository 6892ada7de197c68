// The gate without a GPU: exact numbers of every case, each against the baseline's.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gate/gate.hpp"
#include "search/result.hpp"

namespace tilewright {

/// Who compiles, if anybody: `compiler` is null when nobody does, and `why_none` says why.
/// Register counts of two compiler versions do not compare, hence `version`.
struct StaticCompiler {
  KernelCompiler* compiler = nullptr;
  std::string version;
  std::string why_none;
};

/// All numbers but the compiler's, with the digest of the walk.
StaticNumbers exact_numbers(const Workload& workload, const TileConfig& config,
                            const DeviceSpec& device);
StaticNumbers exact_numbers(const Plan& plan, const DeviceSpec& device);

/// The same of a config as the gate prices it.
inline StaticNumbers price_config(const Workload& workload, const TileConfig& config,
                                  const DeviceSpec& device) {
  return exact_numbers(workload, config, device);
}

/// What gives a config its numbers; tests plant a worse walk or another price with it. Where it
/// leaves `prices` out, they are price_digest()'s.
using StaticPricer =
    std::function<StaticNumbers(const Workload&, const TileConfig&, const DeviceSpec&)>;

/// Compares number by number: a predicted time that is longer by more than `threshold` (a
/// fraction), and any other number that is larger, is a regression, and so is a tile that is not
/// computed exactly once, whatever the baseline has. Bytes may differ by rounding (1e-9). Slots and
/// overhang compare between equal tiles only; registers and shared memory are shown, never judged.
/// The rules say which others are, and whether a shorter time excuses bytes and waves.
CaseVerdict judge_exact(const CaseNumbers& now, const CaseNumbers* before, double threshold,
                        const CaseRules& rules = {});

/// Runs a suite; `baseline` null only takes the numbers.
///
///   config     walk       numbers   verdict
///   equal      equal      equal     pass
///   equal      equal      other     model changed
///   equal      other      any       by the numbers, against the recorded ones
///   other      any        any       by the numbers, against the baseline's config by today's code;
///                                   where that one's walk changed, against the recorded ones too
///
/// A baseline without digests compares as if its walks had changed. Compiler numbers that cannot be
/// compared (no compiler here, or another version) add a verdict of the environment; a note says
/// where nobody has any.
GateRun run_static_gate(std::span<const GateCase> cases, const DeviceSpec& device,
                        const StaticCompiler& compiler, const Baseline* baseline, double threshold,
                        Progress& progress, const StaticPricer& price = price_config);

}  // namespace tilewright
