// The order in which the configs of a foreign kernel run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "search/runner.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// What is known of a config before it runs.
struct ForeignRank {
  int64_t tile_m = 0;  // elements
  int64_t tile_n = 0;
  bool spills = false;  // registers do not suffice for its threads
  bool timed = false;   // cost is foreseen_least_us(), else foreseen_read_bytes()
  double cost = std::numeric_limits<double>::infinity();
  int64_t resident_bytes = 0;  // resident_shared_bytes(): more hide more of the copies' latency
  bool operator==(const ForeignRank&) const = default;
};

/// A config's rank by its mapping and its CTAs' registers and shared memory; the cost, microseconds
/// or bytes, is infinite for an unknown mapping.
ForeignRank rank_of(const ForeignMapping& mapping, const Problem& problem,
                    const DeviceSpec& device);

/// The indices of `ranks` in the order of measurement. The first to run has the lowest cost, and of
/// equal costs most resident bytes. What a mapping leaves open, such as the quality of the machine
/// code, is much the same for all configs of a tile, so each further config of a tile counts as 20
/// % slower: a few measurements then cover several tiles. Configs that spill registers run last.
std::vector<size_t> running_order(std::span<const ForeignRank> ranks);

}  // namespace tilewright
