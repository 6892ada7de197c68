#include "search/raster_ranking.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "support/devices.hpp"
#include "support/raster_laws.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

TileConfig config_of_tile(const char* cta, const char* cluster = "1x1") {
  return {.cta = parse_tile(cta), .cluster = parse_cluster(cluster), .stages = 4, .raster = {}};
}

RasterRanking ranking_of(const char* shape, const TileConfig& config,
                         const DeviceSpec& device = testing::h200()) {
  return rank_known_rasters({parse_shape(shape)}, config, device);
}

TEST_CASE("known rasters are distinct and legal, and walk every tile of the grid once") {
  for (const TileCoord grid : {TileCoord{64, 32}, {13, 10}, {3, 70}, {1, 1}, {2, 1}}) {
    const std::vector<Raster> rasters = known_rasters(grid);
    std::set<std::string> names;
    for (const Raster& raster : rasters) {
      CAPTURE(to_string(raster));
      CHECK(names.insert(to_string(raster)).second);
      CHECK(parse_raster(to_string(raster)) == raster);
      CHECK(std::string(testing::broken_law(raster, grid)) == "");
    }
  }
  CHECK(known_rasters({64, 32}).size() >= 200);
  // Every kind is in the list.
  std::set<tw::RasterKind> kinds;
  for (const Raster& raster : known_rasters({64, 32})) kinds.insert(raster.kind);
  CHECK(kinds.size() == std::size(tw::kRasters));
}

TEST_CASE("every known raster is listed once, best first, with its own estimate") {
  for (const char* const shape : {"4096x4096x4096", "1500x2000x1024", "640x33000x256"}) {
    for (const char* const cluster : {"1x1", "2x1", "1x2"}) {
      const TileConfig config = config_of_tile("128x256x64", cluster);
      const RasterRanking r = ranking_of(shape, config);
      const std::vector<Raster> known = known_rasters(cluster_grid(r.problem.shape, config));
      REQUIRE(r.rasters.size() == known.size());
      for (const Raster& raster : known) {
        const auto found =
            std::find_if(r.rasters.begin(), r.rasters.end(),
                         [&](const RankedRaster& one) { return one.raster == raster; });
        REQUIRE(found != r.rasters.end());
        TileConfig own = config;
        own.raster = raster;
        const Estimate e = estimate(r.problem, own, testing::h200());
        CHECK(found->predicted.us == doctest::Approx(e.us));
        CHECK(found->predicted.slots == e.slots);
        CHECK(found->waste_pct ==
              doctest::Approx(100.0 * static_cast<double>(e.slots - r.tile_count) /
                              static_cast<double>(r.tile_count)));
      }
      for (size_t i = 1; i < r.rasters.size(); ++i) {
        CHECK(r.rasters[i - 1].predicted.us <= r.rasters[i].predicted.us + 0.001);
      }
    }
  }
}

TEST_CASE("ties are the rasters that the model predicts as fast as the best") {
  RasterRanking r = ranking_of("5120x27648x5120", config_of_tile("128x256x64"));
  const double best = r.rasters.front().predicted.us;
  const auto ties = static_cast<size_t>(ties_of_best(r));
  REQUIRE(ties < r.rasters.size());
  CHECK(r.rasters[ties - 1].predicted.us <= best * (1 + kTimeResolution));
  CHECK(r.rasters[ties].predicted.us > best * (1 + kTimeResolution));
  CHECK_FALSE(no_predicted_difference(r));
  r.rasters.resize(ties);
  CHECK(ties_of_best(r) == static_cast<int64_t>(ties));
}

TEST_CASE("rasters are equal in one wave, but differ at 5120x27648") {
  const RasterRanking wave = ranking_of("1024x1024x512", config_of_tile("128x128x64"));
  CHECK(no_predicted_difference(wave));
  CHECK(no_predicted_difference(ranking_of("512x512x512", config_of_tile("64x64x64"))));
  // Measured on an H200: 8.3 GB and 2438 us in rows, 1.8 GB and 1840 us in groups.
  const RasterRanking r =
      ranking_of("5120x27648x5120", config_of_tile("128x256x64"), testing::h200_at_one_clock());
  const auto row = std::find_if(r.rasters.begin(), r.rasters.end(), [](const RankedRaster& one) {
    return one.raster.kind == tw::RasterKind::Row;
  });
  for (const NamedNumber& number : numbers_of(r)) {
    if (number.name != "spread_pct") continue;
    const double worst = r.rasters.back().predicted.us;
    CHECK(r.rasters.front().predicted.us * (1 + number.value / 100) == doctest::Approx(worst));
  }
  CHECK(row->predicted.us > 1.15 * r.rasters.front().predicted.us);
  CHECK(row->predicted.dram_read_bytes > 4 * r.rasters.front().predicted.dram_read_bytes);
}

TEST_CASE("an output of too many tiles is refused, not replayed") {
  CHECK_THROWS_WITH_AS(ranking_of("1000000x1000000x64", config_of_tile("64x64x64")),
                       doctest::Contains("244140625 tiles"), std::exception);
}

}  // namespace
}  // namespace tilewright
