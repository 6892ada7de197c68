// Identifies a tuned group: by its layer, and by how its rows are routed. Tokens are routed anew at
// every step, so callers never have exactly the rows that were tuned.
#pragma once

#include <array>
#include <cstdint>

#include "tile/workload/workload.hpp"

namespace tilewright {

/// The layer of a group of packed rows, and its routing.
struct GroupKey {
  int64_t count = 0;  // products, empty ones among them
  int64_t n = 0;
  int64_t k = 0;
  int64_t total_rows = 0;
  std::array<int64_t, 3> rows = {};  // of a product: the fewest, the median, the most
  bool operator==(const GroupKey&) const = default;
};

/// For products that differ only in M, at least one.
GroupKey group_key(const Workload& group);

/// How differently the rows of two groups are routed: 0 if one group is a reordering of the other;
/// a difference of fewer rows than the smallest tile has counts for little.
double routing_distance(const Workload& a, const Workload& b);

/// True if an answer for `tuned` serves `asked`: the same operation, types, layouts and layer, and
/// similarly routed rows. A layer of other sizes or of another number of products never matches.
bool serves(const Workload& tuned, const Workload& asked);

}  // namespace tilewright
