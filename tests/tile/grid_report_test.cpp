#include "tile/plan/grid_report.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tile/plan/grid_proof.hpp"

using namespace tilewright;

TEST_CASE("waves are the rounds that the device needs for whole clusters") {
  for (const char* raster : {"row", "split-merge:4", "swizzle-merge:3"}) {
    for (int ctas = 1; ctas <= 40; ++ctas) {
      for (const ClusterShape cluster : {ClusterShape{1, 1}, {2, 1}, {1, 2}}) {
        const GridProof proof = prove_grid(parse_raster(raster), {13, 10}, cluster);
        const int size = cluster.m * cluster.n;
        if (ctas < size) {
          CHECK_THROWS_AS(count_waves(proof, ctas, cluster), Error);
          continue;
        }
        const GridWaves waves = count_waves(proof, ctas, cluster);
        // Computed by handing the slots out.
        int64_t left = proof.slots;
        int64_t rounds = 0;
        for (; left > 0; ++rounds) left -= ctas - ctas % size;
        CHECK(waves.waves == rounds);
        CHECK(waves.ctas % size == 0);
        CHECK(waves.efficiency > 0);
        CHECK(waves.efficiency <= 1);
      }
    }
  }
}

TEST_CASE("132 CTAs compute 130 tiles in one wave, 160 slots in two") {
  const GridProof split = prove_grid(parse_raster("split-merge:4"), {13, 10});
  CHECK(count_waves(split, 132, {}).waves == 2);
  const GridProof swizzle = prove_grid(parse_raster("swizzle-merge:4"), {13, 10});
  CHECK(count_waves(swizzle, 132, {}).waves == 1);
  CHECK(count_waves(swizzle, 132, {}).efficiency == doctest::Approx(130.0 / 132));
}

TEST_CASE("a CTA of a 2D launch finds its tile by the arithmetic of split-merge") {
  for (const TileCoord grid : {TileCoord{13, 10}, {4, 4}, {1, 7}, {31, 2}}) {
    for (int f = 1; f <= 9; f += 2) {
      for (const bool along_m : {true, false}) {
        GridReport report;
        report.raster = parse_raster("split-merge:" + std::to_string(f) + (along_m ? "" : "@n"));
        report.proof = prove_grid(report.raster, grid);
        const std::vector<TileCoord> order = raster_order(report.raster, grid);
        const LaunchExtents launch = launch_extents(report);
        // One axis is split by f; its inner part and the other axis are merged, as gridDim.x.
        const int split = along_m ? grid.m : grid.n;
        CHECK(launch.x == int64_t{f} * (along_m ? grid.n : grid.m));
        CHECK(launch.y == (split + f - 1) / f);
        REQUIRE(launch.x * launch.y == std::ssize(order));
        for (int64_t y = 0; y < launch.y; ++y) {
          for (int64_t x = 0; x < launch.x; ++x) {
            const auto inner = static_cast<int>(f * y + x % f);
            const auto outer = static_cast<int>(x / f);
            const TileCoord tile = along_m ? TileCoord{inner, outer} : TileCoord{outer, inner};
            REQUIRE(order[static_cast<size_t>(x + launch.x * y)] == tile);
          }
        }
      }
    }
  }
  GridReport report;
  report.raster = parse_raster("swizzle-merge:4");
  report.proof = prove_grid(report.raster, {13, 10});
  CHECK(launch_extents(report) == LaunchExtents{.x = 130});
}

// The value of a formula of `launch`, such as "4 * (bidy / 4) + bidx / 3".
int64_t evaluated(const std::string& text, int64_t bidx, int64_t bidy) {
  int64_t numbers[4] = {};
  char first = 0;
  char second = 0;
  const int read = std::sscanf(text.c_str(), "%ld * (bidy %c %ld) + bidx %c %ld", &numbers[0],
                               &first, &numbers[1], &second, &numbers[2]);
  REQUIRE(read == 5);
  const auto part = [](int64_t value, char sign, int64_t by) {
    return sign == '/' ? value / by : value % by;
  };
  return numbers[0] * part(bidy, first, numbers[1]) + part(bidx, second, numbers[2]);
}

TEST_CASE("with two factors bidy counts megatiles and bidx the tiles inside, along either axis") {
  for (const TileCoord grid : {TileCoord{13, 10}, {14, 6}, {1, 7}, {31, 2}}) {
    for (const char* const raster : {"4x3", "2x9", "1x5", "7x1", "4x3@n", "2x9@n", "1x5@n"}) {
      CAPTURE(raster);
      GridReport report;
      report.raster = parse_raster(std::string("split-merge:") + raster);
      report.proof = prove_grid(report.raster, grid);
      const std::vector<TileCoord> order = raster_order(report.raster, grid);
      const LaunchExtents launch = launch_extents(report);
      REQUIRE(launch.x * launch.y == std::ssize(order));
      for (int64_t slot = 0; slot < std::ssize(order); ++slot) {
        const int64_t x = slot % launch.x;
        const int64_t y = slot / launch.x;
        const TileCoord tile = order[static_cast<size_t>(slot)];
        REQUIRE(evaluated(launch.tile_m, x, y) == tile.m);
        REQUIRE(evaluated(launch.tile_n, x, y) == tile.n);
      }
    }
  }
}

TEST_CASE("faults of a given order name missing tiles and slots outside") {
  GridReport report;
  auto order = std::make_shared<GivenOrder>();
  order->tiles = {{0, 0}, {0, 1}, GivenOrder::kNoTile, {1, 0}, {1, 1}};
  report.given = order;
  report.proof = prove_order(order->tiles, {2, 2});
  CHECK(fault_of_given(report).empty());  // a slot without a tile is no fault
  CHECK(strays_of(report).empty());
  order->tiles = {{0, 0}, {0, 0}, {5, 0}, {-1, 1}, {1, 1}};
  report.proof = prove_order(order->tiles, {2, 2});
  CHECK(fault_of_given(report) == "2 tiles missing, 1 slot has a tile again");
  CHECK(strays_of(report) == std::vector<Stray>{{2, {5, 0}}, {3, {-1, 1}}});
  report.given = nullptr;
  CHECK(fault_of_given(report).empty());
}

TEST_CASE("a report's numbers carry the keys of its JSON") {
  GridReport report;
  report.proof = prove_grid(parse_raster("split-merge:4"), {13, 10});
  const auto value = [&](std::string_view key) {
    for (const NamedNumber& number : numbers_of(report)) {
      if (number.name == key) return number.value;
    }
    return -1.0;
  };
  CHECK(value("slots") == 160);
  CHECK(value("overhang") == 30);
  CHECK(value("bijective") == 0);
  CHECK(value("waste_pct") == doctest::Approx(23.0769));
  CHECK(value("waves") == -1);
  report.waves = count_waves(report.proof, 132, {});
  report.traffic = GridTraffic{.dram_read_bytes = 5, .l2_hit_rate = 0.5};
  CHECK(value("waves") == 2);
  CHECK(value("wave_efficiency") == doctest::Approx(130.0 / 264));
  CHECK(value("dram_read_bytes") == 5);
  CHECK(value("l2_hit_rate") == 0.5);
}
