#include "search/choice.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

const Problem kDeepProblem{{1024, 1024, 65536}};

ConfigComplexity complexity(const std::string& keys) {
  const std::string tile = "family=sm90,cta=128x128x64,stages=4," + keys;
  return complexity_of(workload_of(kDeepProblem), config_of(parse_config(tile)), testing::h200());
}

TEST_CASE("plainer: fewer changed keys, then fewer splits, less workspace, a plainer raster") {
  // Each one is plainer than the next.
  const std::vector<std::string> order = {
      "raster=row",
      "raster=col",
      "raster=swizzle-merge:2",
      "raster=swizzle-merge:2@n",
      "raster=swizzle-merge:8",
      "raster=swizzle-merge:2,4",
      "raster=hilbert",
      "decomposition=split-k:2:cluster",
      "decomposition=split-k:2:serial",
      "decomposition=split-k:2:workspace",
      "decomposition=split-k:3:cluster",
      "raster=col,evict_first=a",
      "raster=swizzle-merge:8,evict_first=a",
      "raster=row,evict_first=a,l2_promotion=256,cluster=2x1",
  };
  for (size_t i = 1; i < order.size(); ++i) {
    CAPTURE(order[i - 1]);
    CAPTURE(order[i]);
    CHECK(complexity(order[i - 1]) < complexity(order[i]));
  }
}

TEST_CASE("whole tiles are plainer than stream-K, which divides tiles and takes a workspace") {
  for (const std::string variant : {"two-tile", "one-tile", "all"}) {
    const ConfigComplexity streamed = complexity("decomposition=stream-k:" + variant);
    CHECK(complexity("raster=hilbert") < streamed);
    CHECK(streamed < complexity("decomposition=split-k:3:cluster"));
    CHECK(streamed.workspace_bytes > 0);
  }
}

TEST_CASE("only equal configs are equally plain") {
  CHECK(complexity("raster=col") == complexity("raster=col"));
  CHECK(complexity("evict_first=a") != complexity("evict_first=b"));
}

RaceEntry lane_of_raster(const std::string& raster, double us) {
  RaceEntry entry;
  entry.contender.config = config_of(parse_config("cta=128x128x64,stages=4,raster=" + raster));
  entry.contender.name = raster;
  for (int i = 0; i < 40; ++i) entry.samples_us.push_back(us * (1 + 0.001 * (i % 7)));
  return entry;
}

TEST_CASE("ties are the configs not surely slower than the fastest; the plainest is chosen") {
  const std::vector<RaceEntry> entries = {lane_of_raster("swizzle-merge:8", 100),
                                          lane_of_raster("row", 100.05),
                                          lane_of_raster("col", 100.3)};
  const std::vector<const RaceEntry*> ours = {&entries[0], &entries[1], &entries[2]};
  const std::vector<const RaceEntry*> ties = tie_set(ours, 0.95, 0.001);
  CHECK(ties == std::vector<const RaceEntry*>{&entries[0], &entries[1]});
  CHECK(plainest(ties, workload_of(kDeepProblem), testing::h200()) == &entries[1]);
  CHECK(tie_set(ours, 0.95, 0.004).size() == 3);
  CHECK(tie_set(ours, 0.95, 0).size() == 1);
}

}  // namespace
}  // namespace tilewright
