// The gate's results as Markdown, GitHub annotations and JUnit XML.
#pragma once

#include <span>
#include <string>

#include "gate/gate.hpp"

namespace tilewright {

/// Markdown for a CI job's summary page: a heading, the counts, and a table with one row a verdict,
/// failures first.
std::string gate_summary(const std::string& suite, const Baseline& now, const GateRun& run);

/// GitHub's workflow commands: one "::error", "::warning" or "::notice" line about the suite's file
/// for every verdict that failed, was not compared, or improved; failures first.
std::string github_annotations(const std::string& suite, std::span<const CaseVerdict> verdicts);

/// JUnit XML, which CI systems display: one testcase a verdict. Regressions are failures; wrong
/// results, a bad environment and noise are errors; waived cases are skipped. Every finding is in
/// the text, the numbers in system-out.
std::string junit_xml(const std::string& suite, std::span<const CaseVerdict> verdicts);

}  // namespace tilewright
