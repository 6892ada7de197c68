// The gate's verdicts for a CI job: a page in markdown, and GitHub's workflow commands.
#pragma once

#include <span>
#include <string>

#include "gate/gate.hpp"

namespace tilewright {

/// A heading, the counts and a table with a row a verdict, failures first.
std::string gate_summary(const std::string& suite, const Baseline& now, const GateRun& run);

/// One "::error", "::warning" or "::notice" line, about the suite's file, for every verdict that
/// failed, was not compared, or improved; failures first.
std::string github_annotations(const std::string& suite, std::span<const CaseVerdict> verdicts);

}  // namespace tilewright
