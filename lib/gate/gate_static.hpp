// The gate without a GPU: exact numbers of every case, each against the baseline's.
#pragma once

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

/// All numbers but the compiler's.
StaticNumbers exact_numbers(const Workload& workload, const TileConfig& config,
                            const DeviceSpec& device);

/// The baseline's numbers with its config priced by today's model, so that `now` and it differ by
/// the config alone: a better model is no regression. A config that is refused today keeps the
/// recorded prices, and `findings` says so.
CaseNumbers priced_today(const CaseNumbers& before, const CaseNumbers& now,
                         const DeviceSpec& device, std::vector<std::string>& findings);

/// Compares number by number: a predicted time that is longer by more than `threshold` (a
/// fraction), and any other number that is larger, is a regression, and so is a tile that is not
/// computed exactly once, whatever the baseline has. Bytes may differ by rounding (1e-9). Slots and
/// overhang compare between equal tiles only; registers and shared memory are shown, never judged.
CaseVerdict judge_exact(const CaseNumbers& now, const CaseNumbers* before, double threshold);

/// Runs a suite; `baseline` null only takes the numbers. Compiler numbers that cannot be compared
/// (no compiler here, or another version) add a verdict of the environment; a note says where
/// nobody has any.
GateRun run_static_gate(std::span<const GateCase> cases, const DeviceSpec& device,
                        const StaticCompiler& compiler, const Baseline* baseline, double threshold,
                        Progress& progress);

}  // namespace tilewright
