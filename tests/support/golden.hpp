// Golden files: what was looked at once and should stay as it is.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

/// Whether comparisons rewrite their files from now on (the test binary's --update-golden).
void update_golden_files(bool update);

/// Compares with tests/golden/`name`: empty when equal, else what differs first, as a reader of
/// diffs expects it, and how to accept it.
std::string golden_difference(std::string_view name, std::string_view actual);

}  // namespace tilewright
