// The gate without a GPU: exact numbers of every case, each against the baseline's.
#pragma once

#include <span>
#include <string>

#include "search/gate.hpp"

namespace tilewright {

/// Who compiles, if anybody: `compiler` is null when nobody does, and `why_none` says why.
/// Register counts of two compiler versions do not compare, hence `version`.
struct StaticCompiler {
  KernelCompiler* compiler = nullptr;
  std::string version;
  std::string why_none;
};

/// All numbers but the compiler's.
StaticNumbers exact_numbers(const GateCase& gate_case, const DeviceSpec& device);

/// Compares number by number: any that is larger than the baseline's is a regression. Predicted
/// bytes may differ by rounding (1e-9). Compiler numbers are compared where both sides have them.
CaseVerdict judge_exact(const CaseNumbers& now, const CaseNumbers* before);

/// Runs a suite; `baseline` null only takes the numbers. Compiler numbers that cannot be compared
/// (no compiler here, or another version) add a verdict of the environment.
GateRun run_static_gate(std::span<const GateCase> cases, const DeviceSpec& device,
                        const StaticCompiler& compiler, const Baseline* baseline,
                        const OnVerdict& on_verdict);

}  // namespace tilewright
