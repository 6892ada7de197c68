// Golden files: outputs that a person has checked once and that should not change.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

/// With true, later comparisons rewrite their files (the test binary's --update-golden).
void update_golden_files(bool update);

/// Compares with tests/golden/`name`. Returns an empty string if equal, else the first difference
/// in the form of a diff, and how to accept it.
std::string golden_difference(std::string_view name, std::string_view actual);

}  // namespace tilewright
