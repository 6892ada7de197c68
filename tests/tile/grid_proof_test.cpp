#include "tile/plan/grid_proof.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "support/plans.hpp"

using namespace tilewright;

TEST_CASE("the proof's numbers equal a count over the order") {
  for (const char* text : {"row", "col", "split-merge:4", "split-merge:3@n", "split-merge:2x3",
                           "split-merge:40", "swizzle-merge:4", "swizzle-merge:4,2",
                           "swizzle-merge:3,2,2@n", "swizzle-merge:32767", "triton:3", "snake:4@n",
                           "cutlass2:8", "cutlass3:4", "cutlass-dsl:3@n", "hilbert", "morton"}) {
    const Raster raster = parse_raster(text);
    for (const TileCoord grid : {TileCoord{1, 1}, {13, 10}, {1, 200}, {200, 1}, {9, 9}, {16, 8}}) {
      for (const ClusterShape cluster : {ClusterShape{1, 1}, {2, 1}, {1, 2}, {2, 2}}) {
        CAPTURE(text);
        const GridProof proof = prove_grid(raster, grid, cluster);
        std::map<std::pair<int, int>, int> counts;
        int64_t overhang = 0;
        const std::vector<TileCoord> order = raster_order(raster, grid, cluster);
        for (const TileCoord tile : order) {
          if (tile.m < grid.m && tile.n < grid.n) {
            ++counts[{tile.m, tile.n}];
          } else {
            ++overhang;
          }
        }
        CHECK(proof.slots == static_cast<int64_t>(order.size()));
        CHECK(proof.overhang == overhang);
        CHECK(proof.tile_count == static_cast<int64_t>(counts.size()));
        CHECK(proof.missing_count == 0);
        CHECK(proof.duplicate_count == 0);
        CHECK(proof.slots == proof.tile_count + overhang);
        CHECK(proof.bijective == (overhang == 0));
      }
    }
  }
}

TEST_CASE("13 rows in groups of 4 launch 30 overhang blocks") {
  const GridProof split = prove_grid(parse_raster("split-merge:4"), {13, 10});
  CHECK(split.slots == 160);
  CHECK(split.overhang == 30);
  CHECK(split.waste_pct == doctest::Approx(100.0 * 30 / 130));
  CHECK_FALSE(split.bijective);
  const GridProof swizzle = prove_grid(parse_raster("swizzle-merge:4"), {13, 10});
  CHECK(swizzle.slots == 130);
  CHECK(swizzle.overhang == 0);
  CHECK(swizzle.bijective);
}

TEST_CASE("golden: tiles that CUTLASS's persistent schedulers run beyond the problem") {
  struct Row {
    TileCoord grid;
    const char* raster;
    int64_t slots;
    double waste_pct;
  };
  for (const Row& row : {Row{{6, 6}, "cutlass3:4", 64, 77.8},
                         {{6, 6}, "cutlass3:8", 64, 77.8},
                         {{7, 7}, "cutlass3:8", 64, 30.6},
                         {{9, 9}, "cutlass3:8", 256, 216.0},
                         {{9, 9}, "cutlass3:4", 144, 77.8},
                         {{13, 10}, "cutlass3:8", 256, 96.9},
                         {{13, 10}, "cutlass3:4", 192, 47.7},
                         {{17, 33}, "cutlass3:8", 960, 71.1},
                         {{50, 50}, "cutlass3:8", 3136, 25.4},
                         {{9, 9}, "cutlass-dsl:8", 144, 77.8},
                         {{13, 10}, "cutlass-dsl:8", 160, 23.1},
                         {{13, 10}, "cutlass-dsl:8@n", 208, 60.0},
                         {{13, 10}, "cutlass2:8", 208, 60.0},
                         {{13, 10}, "cutlass2-nopad:8", 130, 0.0},
                         {{13, 10}, "hilbert", 130, 0.0},
                         {{13, 10}, "morton", 256, 96.9}}) {
    CAPTURE(row.raster);
    const GridProof proof = prove_grid(parse_raster(row.raster), row.grid);
    CHECK(proof.slots == row.slots);
    CHECK(proof.waste_pct == doctest::Approx(row.waste_pct).epsilon(0.002));
    CHECK(proof.missing_count == 0);
    CHECK(proof.duplicate_count == 0);
  }
  // 9x9 clusters of 2x1 are 18x9 CTAs: groups of 8 clusters.
  CHECK(prove_grid(parse_raster("cutlass3:8"), {18, 9}, {2, 1}).slots == 16 * 16 * 2);
}

TEST_CASE("a cluster's CTAs are consecutive, m fastest") {
  const std::vector<TileCoord> order = raster_order(parse_raster("row"), {4, 2}, {2, 1});
  CHECK(order ==
        std::vector<TileCoord>{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {3, 0}, {2, 1}, {3, 1}});
  // Three rows in pairs: the second row of the last pair is overhang.
  CHECK(prove_grid(parse_raster("row"), {3, 2}, {2, 1}).overhang == 2);
}

TEST_CASE("a proof finds tiles that an order skips, repeats or puts outside") {
  // The order of a grouped scheduler with a host and a device that count slots differently.
  const std::vector<TileCoord> order = {{0, 0}, {0, 1}, {0, 1}, {1, 0}, {2, 0}, {1, 2}};
  const GridProof proof = prove_order(order, {2, 2});
  CHECK(proof.slots == 6);
  CHECK(proof.overhang == 2);
  CHECK(proof.missing_count == 1);
  CHECK(proof.missing == std::vector<TileCoord>{{1, 1}});
  CHECK(proof.duplicate_count == 1);
  CHECK(proof.duplicates == std::vector<TileCoord>{{0, 1}});
  CHECK_FALSE(proof.bijective);
}

TEST_CASE("lists of counter-examples are cut, counts are complete") {
  const GridProof proof = prove_order({}, {20, 30});
  CHECK(proof.missing_count == 600);
  CHECK(proof.missing.size() == GridProof::kMaxExamples);
}

TEST_CASE("a negative tile is outside of the grid") {
  CHECK(prove_order(std::vector<TileCoord>{{-1, 0}, {0, -2}}, {1, 1}).overhang == 2);
}

TEST_CASE("walks that would not end are refused") {
  const Raster row = parse_raster("row");
  CHECK_THROWS_AS(prove_grid(row, {2147483647, 2147483647}), Error);
  CHECK_THROWS_AS(prove_grid(parse_raster("split-merge:32767x32767"), {1, 32768}), Error);
  CHECK_THROWS_AS(prove_grid(parse_raster("split-merge:3"), {2147483647, 1}), Error);
  CHECK_THROWS_AS(raster_order(row, {4096, 4096}), Error);
  CHECK_NOTHROW(raster_order(row, {2048, 2048}));
}

TEST_CASE("factors beyond the grid do not overflow") {
  // 32767 * 100000 is beyond 31 bits.
  const GridProof proof = prove_grid(parse_raster("swizzle-merge:32767"), {2, 100'000});
  CHECK(proof.bijective);
  CHECK(raster_order(parse_raster("swizzle-merge:32767"), {2, 100'000})[3] == TileCoord{1, 1});
}

TEST_CASE("the order of GPUs that share a grid is that of their plans, each tile once") {
  for (const Collective collective : {Collective::ReduceScatter, Collective::AllGather}) {
    for (const RankOrder order : {RankOrder::Given, RankOrder::Ring, RankOrder::Chunks}) {
      for (const char* const raster : {"row", "swizzle-merge:4", "hilbert"}) {
        Workload kind;
        kind.parallel = {collective, 2};
        const Workload workload = with_shapes(kind, {{2048, 1024, 512}});
        TileConfig config = testing::config_with("128x128x64", "2x1", raster);
        config.peers = {.order = order, .chunks = 2};
        for (const Plan& plan :
             plans_of_ranks(workload, config, testing::h200(), {.ctas = 8, .resident = 8})) {
          CAPTURE(raster);
          const tw::PeerBlocks blocks = peer_blocks_of(workload, config, plan.options.rank);
          const TileCoord grid = launched_tiles(plan);
          CHECK(prove_grid(config.raster, grid, config.cluster, blocks).bijective);
          std::vector<TileCoord> walked;
          for_each_whole_tile(plan, 0, plan.workers, [&](int64_t, TileCoord cluster) {
            for (int m = 0; m < 2; ++m) walked.push_back({2 * cluster.m + m, cluster.n});
            return true;
          });
          CHECK(raster_order(config.raster, grid, config.cluster, blocks) == walked);
        }
      }
    }
  }
}

TEST_CASE("overhang of every block counts as overhang of a grid that GPUs share") {
  const tw::PeerBlocks blocks{.gpus = 2, .rank = 0, .chunks = 2};
  const GridProof proof = prove_grid(parse_raster("split-merge:2"), {12, 5}, {}, blocks);
  CHECK(proof.slots == 4 * 4 * 5);
  CHECK(proof.overhang == 4 * 5);
  CHECK(proof.missing_count == 0);
  CHECK(proof.duplicate_count == 0);
}
