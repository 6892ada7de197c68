#include "search/candidates.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

constexpr size_t kBatch = 28;

TEST_CASE("the order is a permutation that starts with the best and mixes tiles and clusters") {
  for (const char* const shape : {"8192x8192x8192", "2048x2048x2048", "2304x2304x4096"}) {
    const Ranking ranking =
        rank(workload_of({parse_shape(shape)}), {sm90_space()}, testing::h200());
    const std::vector<RankedConfig> order = diverse_order(ranking.kernels);
    REQUIRE(order.size() == ranking.kernels.size());
    std::set<std::string> names;
    for (const RankedConfig& ranked : order) names.insert(to_string(ranked.config));
    CHECK(names.size() == order.size());
    CHECK(order.front() == ranking.kernels.front());
    std::set<std::string> tiles;
    std::set<std::string> clusters_of_best;
    for (size_t i = 0; i < kBatch; ++i) {
      tiles.insert(to_string(order[i].config.cta) + to_string(order[i].config.schedule));
      if (order[i].config.cta == order.front().config.cta) {
        clusters_of_best.insert(to_string(order[i].config.cluster));
      }
    }
    CHECK(tiles.size() >= kBatch / 4);
    CHECK(clusters_of_best.size() >= 2);  // legal ones: a share of columns is whole atoms
  }
}

TEST_CASE("raster variants differ from the config and among themselves") {
  const Problem p{{8192, 8192, 2048}};
  const Ranking ranking = rank(workload_of(p), {sm90_space()}, testing::h200());
  const TileConfig best = ranking.kernels.front().config;
  const auto variants = raster_variants(
      workload_of(p), best, ranking.enumeration.kernels.front().rasters, testing::h200());
  CHECK(variants.size() >= 5);
  CHECK(variants.size() <= 10);
  std::set<std::string> names = {to_string(best)};
  for (const RankedConfig& variant : variants) {
    names.insert(to_string(variant.config));
    TileConfig same = variant.config;
    same.raster = best.raster;
    CHECK(same == best);
  }
  CHECK(names.size() == variants.size() + 1);
}

TEST_CASE("neighbours are legal, and one step away in stages, columns or how K is split") {
  const std::vector<SearchSpace> spaces = {sm90_space()};
  for (const char* const text :
       {"2048x1024x4096 cta=64x112x64,stages=10",
        "512x512x16384 cta=128x128x64,cluster=1x2,stages=6,decomposition=split-k:8:workspace",
        "128x128x65536 cta=128x64x64,cluster=1x2,stages=6,decomposition=split-k:66:atomic",
        "4096x4096x4096 cta=256x128x64,stages=4", "3000x1000x8192 cta=128x192x64,stages=3"}) {
    const std::string_view line = text;
    const size_t space = line.find(' ');
    const Problem problem{parse_shape(line.substr(0, space))};
    const TileConfig config = config_of(parse_config(line.substr(space + 1)));
    const auto near = neighbours(workload_of(problem), config, spaces, testing::h200());
    CAPTURE(line);
    CHECK(!near.empty());
    std::set<std::string> names = {to_string(config)};
    for (const RankedConfig& ranked : near) {
      CAPTURE(to_string(ranked.config));
      names.insert(to_string(ranked.config));
      CHECK(!reject_config(problem, ranked.config, testing::h200()));
      const std::vector<int>& stages = spaces.front().stages;
      CHECK(std::find(stages.begin(), stages.end(), ranked.config.stages) != stages.end());
      TileConfig same = ranked.config;
      if (same.cta != config.cta) {
        CHECK(std::abs(same.cta.n - config.cta.n) <= 16);
        CHECK(config.stages - same.stages <= 1);
        same.cta.n = config.cta.n;
      } else if (same.stages == config.stages) {
        same.decomposition = config.decomposition;
      }
      same.stages = config.stages;
      CHECK(same == config);
    }
    CHECK(names.size() == near.size() + 1);
  }
}

TEST_CASE("neighbours of a divided group have other split counts and other reductions") {
  const Workload group{.shapes = parse_shapes("512x512x32768,512x512x512,1024x1024x512", {})};
  for (const char* const split : {"split-k:8:atomic", "split-k:4:serial", "split-k:2:serial"}) {
    const TileConfig config =
        config_of(parse_config(std::string("cta=128x128x64,cluster=1x2,stages=6,group_schedule="
                                           "host-precompute,problem_order=lpt,decomposition=") +
                               split));
    CAPTURE(split);
    std::set<int> fewer;
    std::set<int> more;
    bool joined_otherwise = false;
    for (const RankedConfig& ranked : neighbours(group, config, {sm90_space()}, testing::h200())) {
      CAPTURE(to_string(ranked.config));
      CHECK_FALSE(reject_workload(group, ranked.config, testing::h200()));
      CHECK(ranked.predicted ==
            estimate(make_plan(group, ranked.config, testing::h200()), testing::h200()));
      CHECK(ranked.config.group_schedule == config.group_schedule);
      CHECK(ranked.config.problem_order == config.problem_order);
      if (ranked.config.decomposition == config.decomposition) continue;
      const auto& own = std::get<SplitK>(config.decomposition);
      const auto& other = std::get<SplitK>(ranked.config.decomposition);
      CHECK((other.slices == own.slices) == (other.reduction != own.reduction));
      joined_otherwise |= other.reduction != own.reduction;
      if (other.slices < own.slices) fewer.insert(other.slices);
      if (other.slices > own.slices) more.insert(other.slices);
    }
    CHECK(joined_otherwise);
    CHECK((fewer.empty() == (config.decomposition == parse_decomposition("split-k:2:serial"))));
    CHECK((more.empty() == (config.decomposition == parse_decomposition("split-k:2:serial"))));
  }
}

TEST_CASE("neighbours keep the requested keys") {
  const Problem problem{parse_shape("512x512x16384")};
  const TileConfig config = config_of(
      parse_config("cta=128x128x64,cluster=1x2,stages=6,decomposition=split-k:8:workspace"));
  const auto near = [&](const char* request) {
    return neighbours(workload_of(problem), config,
                      {restricted(sm90_space(), parse_config(request))}, testing::h200());
  };
  for (const RankedConfig& ranked : near("stages=6")) CHECK(ranked.config.stages == 6);
  for (const RankedConfig& ranked : near("cta=128x128x64")) {
    CHECK(ranked.config.cta == config.cta);
  }
  for (const RankedConfig& ranked : near("decomposition=split-k:8:workspace")) {
    CHECK(ranked.config.decomposition == config.decomposition);
  }
  CHECK(near("cta=128x128x64,stages=6,decomposition=split-k:8:workspace").empty());
}

}  // namespace
}  // namespace tilewright
