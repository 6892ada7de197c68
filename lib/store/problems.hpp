// Workloads as users name them: one product, a group, or a file with a list of them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tile/workload/problem.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// "MxNxK", several with commas for one group, or "@FILE.yaml" (a plain path first, then the
/// presets folder). `kind` (its shapes do not count) holds where the file says nothing else. Throws
/// a usage error.
std::vector<Workload> parse_workload_argument(std::string_view text, const Workload& kind);

/// Reads a list of workloads, schema `tilewright.problems/1`, each "MxNxK" or a map with `problem`
/// or `group`, a list; `source` is the file's name in messages. Throws a usage error.
std::vector<Workload> parse_workload_file(std::string_view text, const std::string& source,
                                          const Workload& kind);

}  // namespace tilewright
