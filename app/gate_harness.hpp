// The cases of a gate that run foreign kernels.
#pragma once

#include <string>
#include <vector>

#include "gate/gate.hpp"
#include "search/runner.hpp"
#include "store/suite.hpp"

namespace tilewright {

/// Where the other build of a suite's harness lies: `against` itself if it is a file, else the
/// harness's path below that folder, of an absolute path the file's name.
std::string other_build_of(const std::string& harness_file, const std::string& against);

/// Asks the library of a case, and with `against` its other build, what config runs. What cannot is
/// said by the case: of the harness itself as `why_illegal`, of its other build as `why_no_other`.
void complete_harness_case(GateCase& gate_case, const SuiteCase& suite_case,
                           const std::string& against, Runner& runner);

}  // namespace tilewright
