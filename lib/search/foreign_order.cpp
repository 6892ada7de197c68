#include "search/foreign_order.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "search/foreign_traffic.hpp"

namespace tilewright {

ForeignRank rank_of(const ForeignMapping& mapping, const Problem& problem,
                    const DeviceSpec& device) {
  ForeignRank rank{.tile_m = mapping.tile_m,
                   .tile_n = mapping.tile_n,
                   .spills = mapping.cta.local_bytes > 0,
                   .resident_bytes = resident_shared_bytes(mapping, device)};
  if (const auto us = foreseen_least_us(mapping, problem, device)) {
    rank.timed = true;
    rank.cost = *us;
  } else if (const auto bytes = foreseen_read_bytes(mapping, problem, device)) {
    rank.cost = *bytes;
  }
  return rank;
}

std::vector<size_t> running_order(std::span<const ForeignRank> ranks) {
  constexpr double kRepeatShare = 0.2;
  std::vector<size_t> order(ranks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto by_cost = [&](size_t i) {
    return std::tuple(ranks[i].spills, ranks[i].cost, -ranks[i].resident_bytes);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return by_cost(a) < by_cost(b); });
  std::map<std::tuple<bool, int64_t, int64_t>, int> of_tile;
  std::vector<double> cost(ranks.size());
  for (const size_t i : order) {
    const int before = of_tile[{ranks[i].spills, ranks[i].tile_m, ranks[i].tile_n}]++;
    cost[i] = ranks[i].cost * (1 + kRepeatShare * before);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tuple(ranks[a].spills, cost[a]) < std::tuple(ranks[b].spills, cost[b]);
  });
  return order;
}

}  // namespace tilewright
