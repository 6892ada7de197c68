// What a search requires of every config, besides being legal.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/enumerate.hpp"
#include "search/space.hpp"
#include "search/stack_support.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// How the configs of products that differ in M alone divide k, so that a row of D has the same
/// bits at every M.
struct InvariantSums {
  Family family = Family::Sm90;
  Decomposition decomposition = {};
  bool operator==(const InvariantSums&) const = default;
};

/// At most one of these is set.
struct Requirement {
  bool deterministic = false;                   // results are the same bits every time
  std::optional<InvariantSums> invariant = {};  // and the same bits at every M
  std::optional<Stack> stack = {};              // a stack that can express the config
  bool operator==(const Requirement&) const = default;
};

/// What parse_requirement() takes: "deterministic", "batch-invariant", and "export:" with each
/// stack's name. It also takes the empty text, which requires nothing, and "batch-invariant:" with
/// family and decomposition as keys of a config, whole tiles of sm90 by default.
std::vector<std::string> requirement_names();

/// Throws a usage error.
Requirement parse_requirement(std::string_view text);

/// Parses back to the same requirement; empty if nothing is required.
std::string to_string(const Requirement& requirement);

/// Why the config does not meet the requirement; empty if it does.
std::string why_requirement_fails(const Requirement& requirement, const Workload& workload,
                                  const TileConfig& config);

/// The spaces narrowed to the requirement; they may still hold configs that do not meet it.
std::vector<SearchSpace> spaces_for(const Requirement& requirement,
                                    std::vector<SearchSpace> spaces);

/// enumerate() without the kernels that do not meet the requirement, which count as rejected.
/// Throws Error with No if none of the legal kernels is left.
Enumeration enumerate_required(const Requirement& requirement, const Workload& workload,
                               const std::vector<SearchSpace>& spaces, const DeviceSpec& device);

}  // namespace tilewright
