#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "support/error_message.hpp"
#include "tile/config/config_keys.hpp"

using namespace tilewright;

namespace {

std::string why(std::string_view text) {
  return testing::error_message_of([&] { parse_config(text); });
}

using testing::contains;

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
                                  .l2_promotion_bytes = bytes,
                                  .evict_first = {.a = bytes < 100, .b = bytes % 128 == 0}};
          const ConfigRequest request = parse_config(to_string(config));
          REQUIRE(config_of(request) == config);
          REQUIRE(satisfies(config, request));
        }
      }
    }
  }
}

TEST_CASE("configs of every family round-trip with the keys of their own") {
  for (const char* const text :
       {"family=sm80,cta=128x64x32,warps=2x4,stages=3,smem=fitted,raster=row,"
        "decomposition=data-parallel",
        "family=sm80,cta=16x64x64,warps=1x4,stages=5,smem=swizzle:3:3:-4,raster=hilbert,"
        "decomposition=split-k:4",
        "family=sm80,cta=64x64x64,warps=2x2,stages=2,smem=pad:8,raster=col,"
        "decomposition=split-k:2:workspace",
        "family=sm80,cta=64x64x64,warps=2x2,stages=2,smem=none,raster=swizzle-merge:8,4@n,"
        "decomposition=data-parallel",
        "family=skinny,cta=8x16x128,k_warps=4,stages=2,decomposition=split-k:2:workspace"}) {
    const ConfigRequest request = parse_config(text);
    CHECK(to_string(config_of(request)) == text);
    CHECK(!missing_key(request));
    CHECK(satisfies(config_of(request), request));
  }
}

TEST_CASE("keys choose the family, and foreign keys are named") {
  CHECK(families_of(parse_config("stages=3")) == all_families());
  CHECK(families_of(parse_config("raster=row")) == std::vector<Family>{Family::Sm90, Family::Sm80});
  CHECK(families_of(parse_config("cluster=2x1")) == std::vector<Family>{Family::Sm90});
  CHECK(families_of(parse_config("smem=none")) == std::vector<Family>{Family::Sm80});
  CHECK(families_of(parse_config("k_warps=4")) == std::vector<Family>{Family::Skinny});
  CHECK(contains(why("family=sm80,cluster=2x1"),
                 "family sm80 has no key 'cluster': its keys are family"));
  CHECK(contains(why("cluster=2x1,warps=2x2"), "no family has all of the keys cluster, warps"));
  CHECK(missing_key(parse_config("family=skinny,cta=8x16x128,stages=2")) == "k_warps");
  for (const char* const smem : {"smem=pad", "smem=pad:0", "smem=swizzle:3:3", "smem=swizzle:0:3:3",
                                 "smem=fitted:1", "smem=xor"}) {
    CHECK(contains(why(smem), "fitted, none, pad:N or swizzle:B:M:S"));
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
  CHECK_FALSE(satisfies(config, parse_config("evict_first=b")));
  config.evict_first.b = true;
  CHECK(satisfies(config, parse_config("evict_first=b")));
}

TEST_CASE("a key that is set is the key that a config names, and fails as it does") {
  const std::pair<const char*, const char*> keys[] = {
      {"cta", "128x128x64"}, {"stages", "3"},       {"stages", "0"},  {"raster", "swizzle-merge:4"},
      {"raster", "row:2"},   {"l2_promotion", "7"}, {"smem", "none"}, {"k_warps", "4"},
      {"cluster", "2x1"},    {"nonsense", "1"}};
  for (const char* const given : {"cta=64x128x64", "stages=2", "smem=none", "k_warps=2"}) {
    for (const auto& pair : keys) {
      const char* const key = pair.first;
      const char* const value = pair.second;
      const std::string named = std::string(given).substr(0, std::string(given).find('='));
      const std::string rest = named == key ? "" : std::string(given) + ",";
      const std::string text = rest + key + "=" + value;
      CAPTURE(text);
      const std::string message = why(text);
      const ConfigRequest request = parse_config(given);
      CHECK(testing::error_message_of([&] { with_key(request, key, value); }) == message);
      if (message.empty()) CHECK(with_key(request, key, value) == parse_config(text));
    }
  }
}

TEST_CASE("a comma without '=' continues a factor list") {
  const ConfigRequest request = parse_config("raster=swizzle-merge:8,4@n,stages=3");
  CHECK(to_string(request.values.raster) == "swizzle-merge:8,4@n");
  CHECK(request.values.stages == 3);
  CHECK(request.named == std::set<std::string, std::less<>>{"raster", "stages"});
}

TEST_CASE("bad configs are refused with the key and its values") {
  CHECK(contains(why("stage=4"), "unknown key 'stage' - did you mean 'stages'?"));
  CHECK(contains(why("stages=0"), "from 1 to 32"));
  CHECK(contains(why("stages=four"), "from 1 to 32"));
  CHECK(contains(why("stages=4,stages=5"), "given twice"));
  CHECK(contains(why("l2_promotion=100"), "0, 64, 128 or 256"));
  CHECK(contains(why("evict_first=ba"), "none, a, b or ab"));
  CHECK(contains(why("family=sm70"), "unknown family 'sm70' - did you mean 'sm"));
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

TEST_CASE("a search tries each value of a searched key, or only the named one") {
  const std::vector<TileConfig> one(1);
  const auto tried = [&one](const char* request, Family family) {
    const ConfigRequest r = parse_config(request);
    const std::vector<TileConfig> configs = with_candidate_values(one, family, r);
    CHECK(static_cast<int64_t>(configs.size()) == candidate_value_count(family, r));
    std::set<std::string> different;
    for (const TileConfig& config : configs) different.insert(to_string(config));
    CHECK(different.size() == configs.size());
    return configs.size();
  };
  CHECK(tried("stages=4", Family::Sm90) == 4);  // schedule and swap_ab
  CHECK(tried("swap_ab=true", Family::Sm90) == 2);
  CHECK(tried("swap_ab=true,schedule=pingpong", Family::Sm90) == 1);
  CHECK(tried("stages=4", Family::Sm80) == 1);  // has neither
  CHECK(with_named({}, parse_config("swap_ab=true,stages=5")).stages == 5);
  TileConfig deep;
  deep.stages = 7;
  CHECK(with_named(deep, parse_config("swap_ab=true")).stages == 7);
}
