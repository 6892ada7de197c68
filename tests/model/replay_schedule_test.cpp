#include "model/replay_schedule.hpp"

#include <doctest/doctest.h>

#include <map>
#include <utility>

#include "support/plans.hpp"

namespace tilewright {
namespace {

TEST_CASE("the workers' pieces cover the depth of each cluster once") {
  const DeviceSpec device = testing::h200();
  for (const char* const decomposition :
       {"data-parallel", "split-k:3:atomic", "stream-k:two-tile", "split-k:2:cluster"}) {
    for (const char* const raster : {"row", "swizzle-merge:4", "cutlass3:4"}) {
      CAPTURE(decomposition);
      CAPTURE(raster);
      const Plan plan = testing::plan_of({.problem = "1900x700x3000",
                                          .ctas = 24,
                                          .raster = raster,
                                          .decomposition = decomposition});
      const ReplayScope scope = scope_of(plan, plan, device, ReplayDetail::Fine);
      const ReplaySchedule schedule = schedule_pieces(scope);
      std::map<std::pair<int, int>, int64_t> covered;
      size_t rounds = 0;
      for (const ReplayWorker& worker : schedule.workers) {
        rounds = std::max(rounds, worker.pieces.size());
        for (const TilePiece& piece : worker.pieces) {
          covered[{piece.cluster.m, piece.cluster.n}] += piece.k_end - piece.k_begin;
        }
      }
      const TileCoord grid = plan.problems.front().map.clusters;
      CHECK(std::ssize(covered) == int64_t{grid.m} * grid.n);
      for (const auto& [cluster, depth] : covered) CHECK(depth == scope.depth);
      CHECK(schedule.rounds.waves.size() == rounds);
    }
  }
}

}  // namespace
}  // namespace tilewright
