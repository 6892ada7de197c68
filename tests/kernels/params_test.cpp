#include "sm90/params.cuh"

#include <doctest/doctest.h>

#include <set>
#include <utility>

namespace tilewright {
namespace {

TEST_CASE("the CTAs of a row or a column of a cluster load for each other") {
  for (const tw::TileCoord cluster :
       {tw::TileCoord{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}, {4, 2}, {2, 4}}) {
    INFO(cluster.m, "x", cluster.n);
    const tw::Sm90Params p{.cluster_m = cluster.m, .cluster_n = cluster.n};
    const int ctas = cluster.m * cluster.n;
    std::set<std::pair<int, int>> places;
    for (int rank = 0; rank < ctas; ++rank) {
      const tw::TileCoord at = p.cta_in_cluster(rank);
      CHECK((at.m >= 0 && at.m < cluster.m && at.n >= 0 && at.n < cluster.n));
      CHECK(places.emplace(at.m, at.n).second);
      // A stage is free once all CTAs that it was loaded for have released it.
      int releases = 0;
      for (int other = 0; other < ctas; ++other) {
        const tw::TileCoord there = p.cta_in_cluster(other);
        CHECK(p.share_loads(rank, other) == (at.m == there.m || at.n == there.n));
        CHECK(p.share_loads(rank, other) == p.share_loads(other, rank));
        releases += p.share_loads(rank, other) ? 1 : 0;
      }
      CHECK(releases == p.sharers());
    }
    CHECK(p.launch_cluster_size() == ctas);
  }
}

}  // namespace
}  // namespace tilewright
