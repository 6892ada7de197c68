#include "tile/plan/partial_store.hpp"

#include <doctest/doctest.h>

#include <string>

#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

TileConfig config_of(const std::string& decomposition, ClusterShape cluster = {}) {
  return {.cta = {128, 128, 64},
          .cluster = cluster,
          .stages = 4,
          .raster = {},
          .decomposition = parse_decomposition(decomposition)};
}

constexpr GemmShape kTall{256, 512, 6400};  // 2 x 4 tiles of 100 k-steps

// The plan for a device that holds `clusters` clusters of the config.
Plan plan_on(const TileConfig& config, int64_t clusters) {
  return make_plan(Problem{.shape = kTall}, config, {},
                   {.resident = clusters * launch_cluster_size(config)});
}

int64_t launched(const TileConfig& config, int64_t clusters) {
  return plan_on(config, clusters).launched_workers;
}

TEST_CASE("workers are as many as the units, at most as many as the device holds") {
  CHECK(launched(config_of("data-parallel"), 132) == 8);
  CHECK(launched(config_of("split-k:4"), 132) == 32);
  CHECK(launched(config_of("split-k:4"), 20) == 20);
  CHECK(launched(config_of("split-k:1000"), 10000) == 800);
  CHECK(launched(config_of("split-k:4", {2, 1}), 66) == 16);
  CHECK(launched(config_of("split-k:4:cluster"), 33) == 8);  // clusters
  CHECK(launched(config_of("stream-k"), 132) == 132);
  CHECK(launch_cluster_size(config_of("split-k:4:cluster")) == 4);
  CHECK(launch_cluster_size(config_of("split-k:4:serial", {1, 2})) == 2);
}

// A tile of partial sums is 64 KiB here; two warpgroups compute it, each with its own turnstile.
TEST_CASE("golden: partial sums and counters of every reduction") {
  constexpr int64_t kTile = 128 * 128 * 4;
  const auto store = [](const std::string& decomposition, ClusterShape cluster = {}) {
    return partial_store(plan_on(config_of(decomposition, cluster), 16));
  };
  CHECK(store("data-parallel") == PartialStore{});
  CHECK(store("split-k:4:cluster") == PartialStore{});
  for (const char* const turnstile : {"split-k:4:serial", "split-k:4:serial-tma"}) {
    CHECK(store(turnstile) == PartialStore{8, 8 * kTile, 16, false});
  }
  for (const char* const atomic : {"split-k:4:atomic", "split-k:4:atomic-tma"}) {
    CHECK(store(atomic) == PartialStore{8, 8 * kTile, 16, true});
  }
  CHECK(store("split-k:4:workspace") == PartialStore{32, 32 * kTile, 0, false});
  CHECK(store("split-k:4:workspace", {2, 1}) == PartialStore{32, 32 * kTile, 0, false});
  CHECK(store("split-k:4:reduce-scatter") == PartialStore{32, 32 * kTile, 16, false});
  CHECK(store("split-k:4:in-place") == PartialStore{0, 0, 16, false});
  CHECK(store("stream-k:serial") == PartialStore{8, 8 * kTile, 16, false});
  CHECK(store("stream-k:workspace") == PartialStore{32, 32 * kTile, 0, false});  // 2 per worker
}

}  // namespace
}  // namespace tilewright
