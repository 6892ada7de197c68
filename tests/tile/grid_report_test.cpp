#include "tile/plan/grid_report.hpp"

#include <doctest/doctest.h>

#include "base/error.hpp"

using namespace tilewright;

TEST_CASE("waves are the rounds that whole clusters need") {
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
        // By dealing the slots out.
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
