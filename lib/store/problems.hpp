// Parses the workloads that users name: one product, a group, or a file with a list of them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tile/workload/problem.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Parses "MxNxK", several of them with commas for one group, or "@FILE.yaml" (first a plain path,
/// then a file in the presets folder). `kind` gives the types, layout and operation that the text
/// leaves out; its shapes are ignored. Throws a usage error.
std::vector<Workload> parse_workload_argument(std::string_view text, const Workload& kind);

/// The key `harness` of the file that "@FILE.yaml" names: the foreign kernel,
/// FILE[:axis=value,...], that tune, bench and profile run its problems with. Empty if there is
/// none. Throws a usage error.
std::string harness_of_argument(std::string_view text);

/// Reads a list of workloads, schema `tilewright.problems/1`, each "MxNxK" or a map with `problem`
/// or `group`, a list; `source` is the file's name in messages. Throws a usage error.
std::vector<Workload> parse_workload_file(std::string_view text, const std::string& source,
                                          const Workload& kind);

}  // namespace tilewright
