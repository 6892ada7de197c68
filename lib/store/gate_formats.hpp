// The gate's run for machines.
#pragma once

#include <span>
#include <string>

#include "gate/gate.hpp"

namespace tilewright {

/// `suite`, `mode`, `device`, `exit_code`, `counts` by verdict, `notes`, and a list of `cases`
/// {name, verdict, numbers, reference, findings}: under each number's key stand `recorded` in the
/// baseline, `baseline_today`, of the baseline's config by today's code, and `now`.
std::string gate_json(const std::string& suite, const Baseline& now, const GateRun& run);

/// The gate's verdicts for a CI job: a page in markdown, and GitHub's workflow commands. A heading,
/// the counts and a table with a row a verdict, failures first.
std::string gate_summary(const std::string& suite, const Baseline& now, const GateRun& run);

/// One "::error", "::warning" or "::notice" line, about the suite's file, for every verdict that
/// failed, was not compared, or improved; failures first.
std::string github_annotations(const std::string& suite, std::span<const CaseVerdict> verdicts);

/// The gate's verdicts as JUnit XML, which CI systems show. One testcase a verdict. Regressions are
/// failures; wrong results, the environment and noise are errors; what is waived is skipped; every
/// finding stands in the text, the numbers in system-out.
std::string junit_xml(const std::string& suite, std::span<const CaseVerdict> verdicts);

}  // namespace tilewright
