// The gate's verdicts as JUnit XML, which CI systems show.
#pragma once

#include <span>
#include <string>

#include "gate/gate.hpp"

namespace tilewright {

/// One testcase a verdict. Regressions are failures; wrong results, the environment and noise are
/// errors; every finding stands in the text, the numbers in system-out.
std::string junit_xml(const std::string& suite, std::span<const CaseVerdict> verdicts);

}  // namespace tilewright
