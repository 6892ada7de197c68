#include "search/candidates.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "support/devices.hpp"

namespace tilewright {
namespace {

constexpr size_t kBatch = 28;

TEST_CASE("the order is a permutation that starts with the best and mixes tiles and clusters") {
  for (const char* const shape : {"8192x8192x8192", "2048x2048x2048", "2304x2304x4096"}) {
    const Ranking ranking = rank({parse_shape(shape)}, sm90_space(), testing::h200());
    const std::vector<RankedConfig> order = diverse_order(ranking.kernels);
    REQUIRE(order.size() == ranking.kernels.size());
    std::set<std::string> names;
    for (const RankedConfig& ranked : order) names.insert(to_string(ranked.config));
    CHECK(names.size() == order.size());
    CHECK(order.front() == ranking.kernels.front());
    std::set<std::string> tiles;
    std::set<std::string> clusters_of_best;
    for (size_t i = 0; i < kBatch; ++i) {
      tiles.insert(to_string(order[i].config.cta) + to_string(order[i].config.schedule));
      if (order[i].config.cta == order.front().config.cta) {
        clusters_of_best.insert(to_string(order[i].config.cluster));
      }
    }
    CHECK(tiles.size() >= kBatch / 4);
    CHECK(clusters_of_best.size() >= 2);  // of its legal ones: a share of columns is whole atoms
  }
}

TEST_CASE("raster variants differ from the config and among themselves") {
  const Problem p{{8192, 8192, 2048}};
  const Ranking ranking = rank(p, sm90_space(), testing::h200());
  const TileConfig best = ranking.kernels.front().config;
  const auto variants =
      raster_variants(p, best, ranking.enumeration.kernels.front().rasters, testing::h200());
  CHECK(variants.size() >= 5);
  CHECK(variants.size() <= 10);
  std::set<std::string> names = {to_string(best)};
  for (const RankedConfig& variant : variants) {
    names.insert(to_string(variant.config));
    TileConfig same = variant.config;
    same.raster = best.raster;
    CHECK(same == best);
  }
  CHECK(names.size() == variants.size() + 1);
}

}  // namespace
}  // namespace tilewright
