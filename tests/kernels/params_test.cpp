#include "sm90/params.cuh"

#include <doctest/doctest.h>

#include <algorithm>
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

TEST_CASE(
    "a CTA fills all stages alone without a cluster, else two or more, fewer the more it saves") {
  for (const int stages : {1, 2, 4, 8, 12}) {
    for (const int m : {64, 128, 192, 256}) {
      for (const int n : {8, 64, 120, 256}) {
        const auto alone = [&](int cluster_m, int cluster_n) {
          return tw::Sm90Params{.cta_m = m,
                                .cta_n = n,
                                .stages = stages,
                                .cluster_m = cluster_m,
                                .cluster_n = cluster_n}
              .stages_alone();
        };
        CHECK(alone(1, 1) == stages);
        for (const tw::TileCoord cluster : {tw::TileCoord{2, 1}, {1, 2}, {2, 2}}) {
          const int own = alone(cluster.m, cluster.n);
          CHECK((own >= std::min(2, stages) && own <= stages));
          CHECK(alone(2 * cluster.m, cluster.n) <= own);
          CHECK(alone(cluster.m, 2 * cluster.n) <= own);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tilewright
