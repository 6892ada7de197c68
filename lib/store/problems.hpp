// Problems as users name them: one product, or a file with a list of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tile/problem.hpp"

namespace tilewright {

/// "MxNxK", or "@FILE.yaml" (a plain path first, then the presets folder). `kind` (its shape does
/// not count) holds where the file says nothing else. Throws a usage error.
std::vector<Problem> parse_problem_argument(std::string_view text, const Problem& kind);

/// Reads a list of problems, schema `tilewright.problems/1`, each "MxNxK" or a map; `source` is the
/// file's name in messages. Throws a usage error.
std::vector<Problem> parse_problem_file(std::string_view text, const std::string& source,
                                        const Problem& kind);

}  // namespace tilewright
