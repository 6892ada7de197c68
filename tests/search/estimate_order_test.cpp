#include "search/estimate_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "search/bench.hpp"
#include "search/rank.hpp"
#include "search/raster_ranking.hpp"
#include "stats/random.hpp"
#include "store/device_preset.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// Few values, so that many are equal.
std::vector<Estimate> some_estimates(bool is_time, uint64_t seed) {
  Random random(seed);
  std::vector<Estimate> all(60);
  for (Estimate& e : all) {
    e.us = 10 + static_cast<double>(random.below(3));
    e.dram_read_bytes = 1e6 * static_cast<double>(random.below(3));
    e.dram_write_bytes = 1e6 * static_cast<double>(random.below(2));
    e.waves = static_cast<int64_t>(1 + random.below(3));
    e.is_time = is_time;
  }
  return all;
}

double traffic(const Estimate& e) {
  return e.dram_read_bytes + e.dram_write_bytes;
}

TEST_CASE("the order is strict and weak, whether there are times or not") {
  for (const bool is_time : {true, false}) {
    const std::vector<Estimate> all = some_estimates(is_time, 7);
    const auto equal = [](const Estimate& a, const Estimate& b) {
      return !ranks_before(a, b) && !ranks_before(b, a);
    };
    for (const Estimate& a : all) {
      CHECK_FALSE(ranks_before(a, a));
      for (const Estimate& b : all) {
        if (ranks_before(a, b)) CHECK_FALSE(ranks_before(b, a));
        for (const Estimate& c : all) {
          if (ranks_before(a, b) && ranks_before(b, c)) CHECK(ranks_before(a, c));
          if (equal(a, b) && equal(b, c)) CHECK(equal(a, c));
        }
      }
    }
  }
}

TEST_CASE(
    "times alone order predictions; without them the bound, then the waves, then the traffic") {
  for (const Estimate& a : some_estimates(true, 11)) {
    for (const Estimate& b : some_estimates(true, 13)) CHECK(ranks_before(a, b) == (a.us < b.us));
  }
  for (const Estimate& a : some_estimates(false, 11)) {
    for (const Estimate& b : some_estimates(false, 13)) {
      const bool before = a.us != b.us         ? a.us < b.us
                          : a.waves != b.waves ? a.waves < b.waves
                                               : traffic(a) < traffic(b);
      CHECK(ranks_before(a, b) == before);
    }
  }
}

TEST_CASE("of one tile's rasters that fill equal waves those with less traffic come first") {
  for (const char* const name : {"a100", "l40s", "rtx4090"}) {
    for (const GemmShape& shape : {GemmShape{4096, 4096, 4096}, GemmShape{2176, 1664, 512}}) {
      CAPTURE(name);
      TileConfig config = config_of(parse_config("cta=128x128x64,stages=3"));
      const RasterRanking ranking =
          rank_known_rasters(Problem{shape}, config, load_device_preset(name));
      // Rounds of overhang alone take nothing, so these rasters are left out.
      std::vector<Estimate> whole;
      for (const RankedRaster& raster : ranking.rasters) {
        CHECK_FALSE(believed_us(raster.predicted).has_value());
        if (raster.predicted.slots == ranking.tile_count) whole.push_back(raster.predicted);
      }
      REQUIRE(whole.size() > 50);
      for (size_t i = 1; i < whole.size(); ++i) {
        CHECK(whole[i].waves == whole[i - 1].waves);
        CHECK(traffic(whole[i - 1]) <= traffic(whole[i]) + 1);
      }
    }
  }
}

TEST_CASE(
    "a ranking of kernels without times is in the same order twice, and its rows are places") {
  const DeviceSpec device = load_device_preset("a100");
  const Workload product{.shapes = {{1000, 1500, 2000}}};
  const std::vector<SearchSpace> spaces = requested_spaces(parse_config("cta=128x128x32"));
  const Ranking ranking = rank(product, spaces, device);
  CHECK(rank(product, spaces, device) == ranking);
  REQUIRE(ranking.kernels.size() > 10);
  std::vector<BenchRow> rows;
  for (const RankedConfig& ranked : ranking.kernels) {
    BenchRow& row = rows.emplace_back();
    row.effective = ranked.config;
    row.predicted = ranked.predicted;
  }
  int64_t last = 0;
  for (const BenchRow& row : rows) {
    const int64_t place = place_among(row, rows);
    CHECK(place >= std::max<int64_t>(last, 1));
    CHECK(place <= std::ssize(rows));
    last = place;
  }
  CHECK(place_among(rows.front(), rows) == 1);
}

}  // namespace
}  // namespace tilewright
