// What a search demands of every config beside being legal.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/enumerate.hpp"
#include "search/space.hpp"
#include "search/stack_words.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// At most one of these.
struct Requirement {
  bool deterministic = false;       // results are the same bits every time
  std::optional<Stack> stack = {};  // that can say the config
  bool operator==(const Requirement&) const = default;
};

/// What parse_requirement() takes: "deterministic", and "export:" with each stack's name. The empty
/// text, of a search that demands nothing, is taken as well.
std::vector<std::string> requirement_names();

/// Throws a usage error.
Requirement parse_requirement(std::string_view text);

/// Parses back to the same; empty where nothing is demanded.
std::string to_string(const Requirement& requirement);

/// Why the config does not meet the requirement; empty where it does.
std::string why_unwanted(const Requirement& requirement, const Workload& workload,
                         const TileConfig& config);

/// Those of the spaces, which may still hold configs that do not meet the requirement.
std::vector<SearchSpace> spaces_for(const Requirement& requirement,
                                    std::vector<SearchSpace> spaces);

/// enumerate() without the kernels that do not meet the requirement: they are counted as rejected.
/// Throws Error with No where it leaves none of the legal kernels.
Enumeration enumerate_wanted(const Requirement& requirement, const Workload& workload,
                             const std::vector<SearchSpace>& spaces, const DeviceSpec& device);

}  // namespace tilewright
