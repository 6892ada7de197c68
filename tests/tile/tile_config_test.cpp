#include "tile/tile_config.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "support/complaint.hpp"

using namespace tilewright;

namespace {

std::string why(std::string_view text) {
  return testing::complaint_of([&] { parse_config(text); });
}

using testing::contains;

// The config that a complete request asks for.
TileConfig complete(const ConfigRequest& r) {
  return {.family = r.family.value(),
          .cta = r.cta.value(),
          .cluster = r.cluster.value(),
          .stages = r.stages.value(),
          .raster = r.raster.value(),
          .l2_promotion_bytes = r.l2_promotion_bytes.value()};
}

}  // namespace

TEST_CASE("a printed config parses back to itself, and satisfies its own request") {
  for (const TileShape cta : {TileShape{64, 64, 64}, {128, 256, 64}, {192, 144, 64}}) {
    for (const ClusterShape cluster : {ClusterShape{1, 1}, {2, 1}, {1, 2}}) {
      for (const char* raster : {"row", "col", "split-merge:4x2@n", "swizzle-merge:8,4,2"}) {
        for (const int bytes : {0, 64, 128, 256}) {
          const TileConfig config{.cta = cta,
                                  .cluster = cluster,
                                  .stages = 4,
                                  .raster = parse_raster(raster),
                                  .l2_promotion_bytes = bytes};
          const ConfigRequest request = parse_config(to_string(config));
          REQUIRE(complete(request) == config);
          REQUIRE(satisfies(config, request));
        }
      }
    }
  }
}

TEST_CASE("a request constrains only what it names") {
  TileConfig config;
  config.cta = {128, 256, 64};
  config.stages = 4;
  CHECK(satisfies(config, ConfigRequest{}));
  CHECK(satisfies(config, parse_config("cta=128x256x64")));
  CHECK(satisfies(config, parse_config(" cta = 128x256x64 , stages = 4 ")));
  CHECK_FALSE(satisfies(config, parse_config("stages=5")));
  CHECK_FALSE(satisfies(config, parse_config("raster=col")));
  CHECK_FALSE(satisfies(config, parse_config("cluster=2x1")));
  CHECK_FALSE(satisfies(config, parse_config("cta=256x128x64")));
  CHECK_FALSE(satisfies(config, parse_config("l2_promotion=64")));
}

TEST_CASE("a comma without '=' continues a factor list") {
  const ConfigRequest request = parse_config("raster=swizzle-merge:8,4@n,stages=3");
  CHECK(to_string(request.raster.value()) == "swizzle-merge:8,4@n");
  CHECK(request.stages == 3);
}

TEST_CASE("bad configs say which key and what it takes") {
  CHECK(contains(why("stage=4"), "unknown key 'stage' - did you mean 'stages'?"));
  CHECK(contains(why("stages=0"), "from 1 to 32"));
  CHECK(contains(why("stages=four"), "from 1 to 32"));
  CHECK(contains(why("stages=4,stages=5"), "given twice"));
  CHECK(contains(why("l2_promotion=100"), "0, 64, 128 or 256"));
  CHECK(contains(why("family=sm80"), "sm80"));
  CHECK(contains(why("decomposition=split-q:2"), "split-k"));
  CHECK(contains(why("swap_ab=maybe"), "true or false"));
  CHECK(contains(why("cta=128x256"), "MxNxK"));
  CHECK(contains(why("cta=128x256x64x1"), "MxNxK"));
  CHECK(contains(why("cta=0x256x64"), "MxNxK"));
  CHECK(contains(why("cta=99999x256x64"), "MxNxK"));
  CHECK(contains(why("cluster=2"), "MxN"));
  CHECK(contains(why("raster=swizle-merge:4"), "did you mean"));
  CHECK(contains(why(""), "not key=value"));
  CHECK(contains(why("4"), "not key=value"));
  CHECK(contains(why("cta=128x256x64,"), "'128x256x64,'"));
}

TEST_CASE("grids round up to whole tiles and to whole clusters") {
  TileConfig config;
  config.cta = {128, 256, 64};
  CHECK(tile_grid({4097, 1000, 64}, config.cta) == TileCoord{33, 4});
  CHECK(tile_grid({1, 1, 1}, config.cta) == TileCoord{1, 1});
  CHECK(tile_grid({2147483647, 256, 64}, config.cta) == TileCoord{16777216, 1});
  config.cluster = {2, 1};
  CHECK(cluster_grid({4097, 1000, 64}, config) == TileCoord{17, 4});
  config.cluster = {1, 2};
  CHECK(cluster_grid({4097, 1000, 64}, config) == TileCoord{33, 2});
}
