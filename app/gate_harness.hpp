// The cases of a gate that run foreign kernels.
#pragma once

#include <string>
#include <vector>

#include "gate/gate.hpp"
#include "search/runner.hpp"
#include "store/suite.hpp"

namespace tilewright {

/// The path of the other build of a suite's harness: `against` itself if it is a file; otherwise
/// the harness's path below the folder `against` (only the file name if the path is absolute).
std::string other_build_of(const std::string& harness_file, const std::string& against);

/// Queries the case's library, and its other build with `against`, for the config that runs. On
/// failure sets `why_illegal` of the case for the harness itself, `why_no_other` for the other
/// build.
void complete_harness_case(GateCase& gate_case, const SuiteCase& suite_case,
                           const std::string& against, Runner& runner);

}  // namespace tilewright
