// What a tuned group is known by: its layer, and how its rows are routed. Tokens are routed anew at
// every step, so nobody asks for the rows that were tuned, expert by expert.
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

/// Of products that differ in M alone, at least one.
GroupKey group_key(const Workload& group);

/// How differently rows are routed in two groups: 0 where one is the other in another order; a few
/// rows more or fewer than the least tile has count for little.
double routing_distance(const Workload& a, const Workload& b);

/// True where an answer for `tuned` serves `asked`: one operation on types and layouts alike, one
/// layer, and rows routed much alike. A layer of other sizes or of another number of products never
/// matches, whatever its rows.
bool serves(const Workload& tuned, const Workload& asked);

}  // namespace tilewright
