#include "search/enumerate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/grid_proof.hpp"

namespace tilewright {
namespace {

std::vector<TileCoord> walk(const Raster& raster, TileCoord grid) {
  return raster_order(raster, grid);
}

// All configs of the space, checked one by one.
std::vector<TileConfig> flat(const SearchSpace& space) {
  std::vector<TileConfig> configs;
  for (const TileShape& cta : space.cta) {
    for (const ClusterShape& cluster : space.clusters) {
      for (const KernelSchedule schedule :
           {KernelSchedule::PingPong, KernelSchedule::Cooperative}) {
        for (const int stages : space.stages) {
          for (const Raster& raster : space.rasters) {
            for (const int promotion : space.l2_promotion_bytes) {
              for (const EvictFirst& operands : space.evict_first) {
                configs.push_back({.cta = cta,
                                   .cluster = cluster,
                                   .stages = stages,
                                   .schedule = schedule,
                                   .raster = raster,
                                   .l2_promotion_bytes = promotion,
                                   .evict_first = operands});
              }
            }
          }
        }
      }
    }
  }
  return configs;
}

// Number of configs in the product of the axes, without those of `divides`.
int64_t config_count(const SearchSpace& s) {
  return static_cast<int64_t>(s.cta.size() * s.clusters.size() * s.stages.size() *
                              s.decompositions.size() * s.rasters.size() * s.sm80.size() *
                              s.skinny.size()) *
         candidate_value_count(s.family, s.named) * l2_request_count(s);
}

TEST_CASE("legal, rejected and duplicate configs are disjoint and make up the space") {
  for (const char* const shape :
       {"1000x1000x512", "64x4096x64", "129x70000x8", "256x256x65536", "1024x1024x32768"}) {
    const Problem p{parse_shape(shape)};
    SearchSpace space = sm90_space();
    for (const bool divides : {false, true}) {
      space.divides = divides;
      const Enumeration found = enumerate(workload_of(p), {space}, testing::h200());
      int64_t rejected = 0;
      for (const auto& rule : found.rejected) rejected += rule.second;
      if (!divides) CHECK(found.enumerated == config_count(space));
      CHECK(rejected + found.legal == found.enumerated);
    }
  }
}

TEST_CASE("clusters have one, two or four CTAs along m and n, at most eight in all") {
  std::vector<std::pair<int, int>> all;
  for (const int m : {1, 2, 4}) {
    for (const int n : {1, 2, 4}) {
      if (m * n <= 8) all.emplace_back(m, n);
    }
  }
  std::vector<std::pair<int, int>> found;
  for (const ClusterShape& c : sm90_space().clusters) found.emplace_back(c.m, c.n);
  std::sort(found.begin(), found.end());
  CHECK(found == all);
}

TEST_CASE("a space's tiles have the same depth in bytes for every type") {
  const SearchSpace space = restricted(sm90_space(), parse_config("cluster=1x1"));
  for (const TileShape& cta : tile_shapes(space, DataType::E4M3)) CHECK(cta.k == 128);
  for (const TileShape& cta : tile_shapes(space, DataType::F16)) CHECK(cta.k == 64);
  CHECK(!enumerate(workload_of({{4096, 4096, 4096}, {DataType::E4M3}}), {space}, testing::h200())
             .kernels.empty());
  const SearchSpace named = restricted(space, parse_config("cta=128x128x64"));
  CHECK(tile_shapes(named, DataType::E4M3).front().k == 64);
}

TEST_CASE("each rule rejects as many configs as a check of every config") {
  const Problem p{{1000, 1000, 512}};
  SearchSpace space = sm90_space();
  space.divides = false;
  name_key(space.named, "swap_ab",
           "false");  // 1000 rows and columns: swapped and narrow kernels are pointless
  std::erase_if(space.clusters, [](const ClusterShape& c) { return c.m * c.n > 2; });
  std::erase_if(space.cta, [](const TileShape& cta) { return cta.n < 64 || cta.n % 32 != 0; });
  const Enumeration found = enumerate(workload_of(p), {space}, testing::h200());
  std::map<std::string, int64_t> expected;
  int64_t legal = 0;
  for (const TileConfig& config : flat(space)) {
    const auto rejection = reject_config(p, config, testing::h200());
    if (rejection) {
      ++expected[rejection->rule];
    } else {
      ++legal;
    }
  }
  const int64_t duplicates = found.rejected.at("duplicate");
  CHECK(found.legal == legal - duplicates);
  expected["duplicate"] = duplicates;
  CHECK(found.rejected == expected);
}

TEST_CASE("values of no use at these sizes are left out unless requested") {
  const SearchSpace space = sm90_space();
  const auto kernels = [&space](const char* shape) {
    return enumerate(workload_of({parse_shape(shape)}), {space}, testing::h200()).kernels;
  };
  for (const LegalKernel& kernel : kernels("4096x4096x4096")) {
    const ClusterShape cluster = kernel.config.cluster;
    const bool divided = !std::holds_alternative<DataParallel>(kernel.config.decomposition);
    CHECK((cluster.m * cluster.n <= 2 || divided));
    CHECK(!kernel.config.swap_ab);
    CHECK(kernel.config.cta.n >= 64);
  }
  bool swapped = false;
  for (const LegalKernel& kernel : kernels("20x8192x8192")) {
    const TileConfig& c = kernel.config;
    CAPTURE(to_string(c));
    if (c.swap_ab) CHECK(c.cta.n <= 24);   // 24 columns cover the 20 rows
    if (!c.swap_ab) CHECK(c.cta.m == 64);  // 64 rows do
    swapped = swapped || c.swap_ab;
  }
  CHECK(swapped);
  // Mirror images: squares with operands of the same layout. 200x64 fits a swapped tile of 64x200
  // exactly.
  const auto swaps = [&space](const char* shape, MatrixLayout layout) {
    const Problem problem{.shape = parse_shape(shape), .kind = {.layout = layout}};
    const auto found = enumerate(workload_of(problem), {space}, testing::h200()).kernels;
    return std::any_of(found.begin(), found.end(),
                       [](const LegalKernel& kernel) { return kernel.config.swap_ab; });
  };
  CHECK(!swaps("128x128x4096", MatrixLayout::TN));
  CHECK(!swaps("128x128x4096", MatrixLayout::NT));
  CHECK(swaps("128x128x4096", MatrixLayout::NN));
  CHECK(swaps("128x128x4096", MatrixLayout::TT));
  CHECK(swaps("200x64x4096", MatrixLayout::TN));
  CHECK(swaps("128x136x4096", MatrixLayout::TN));
  const SearchSpace asked = restricted(space, parse_config("cta=128x16x64,swap_ab=true"));
  CHECK(!enumerate(workload_of({parse_shape("4096x4096x4096")}), {asked}, testing::h200())
             .kernels.empty());
}

TEST_CASE("whole tiles in clusters of four and eight are tried where rows lie across cache lines") {
  const SearchSpace space = restricted(sm90_space(), parse_config("cta=128x128x64,stages=4"));
  const auto tries = [&](const Workload& workload, int ctas) {
    const std::vector<LegalKernel> kernels = enumerate(workload, {space}, testing::h200()).kernels;
    REQUIRE(!kernels.empty());
    return std::any_of(kernels.begin(), kernels.end(), [&](const LegalKernel& kernel) {
      return kernel.config.cluster.m * kernel.config.cluster.n == ctas &&
             std::holds_alternative<DataParallel>(kernel.config.decomposition);
    });
  };
  for (const MatrixLayout layout :
       {MatrixLayout::TN, MatrixLayout::NN, MatrixLayout::NT, MatrixLayout::TT}) {
    for (const char* const text :
         {"1024x1024x640", "1032x1024x640", "1024x1032x640", "1024x1024x648", "1032x1032x640",
          "1032x1024x648", "1024x1024x650", "1026x1024x640"}) {
      const Problem problem{.shape = parse_shape(text), .kind = {.layout = layout}};
      const auto crosses = [](int64_t columns) {
        const bool is_copied = columns * 2 % 16 != 0;  // to rows that are whole lines apart
        return !is_copied && columns * 2 % 128 != 0;
      };
      const GemmShape& s = problem.shape;
      const bool any_crosses =
          crosses(is_k_major_a(layout) ? s.k : s.m) || crosses(is_k_major_b(layout) ? s.k : s.n);
      INFO(text, " ", to_string(layout));
      CHECK(tries(workload_of(problem), 8) == any_crosses);
      CHECK(tries(workload_of(problem), 4) == any_crosses);
    }
  }
  CHECK(!tries({.kind = {}, .shapes = parse_shapes("1024x1024x648,1024x1024x648", {})}, 8));
  const SearchSpace asked = restricted(sm90_space(), parse_config("cluster=4x2"));
  CHECK(!enumerate(workload_of({parse_shape("4096x4096x4096")}), {asked}, testing::h200())
             .kernels.empty());
}

TEST_CASE("kept rasters are legal and differ in their walks; dropped ones walk as a kept one") {
  for (const char* const shape : {"1664x1280x64", "640x4096x64", "128x2048x64"}) {
    const Problem p{parse_shape(shape)};
    SearchSpace space = restricted(
        sm90_space(),
        parse_config("cta=128x128x64,cluster=1x1,stages=4,schedule=pingpong,swap_ab=false"));
    const Enumeration found = enumerate(workload_of(p), {space}, testing::h200());
    REQUIRE(found.kernels.size() == 1);
    const TileCoord grid = cluster_grid(p.shape, found.kernels[0].config);
    std::vector<std::vector<TileCoord>> walks;
    for (const Raster& raster : found.kernels[0].rasters) {
      CHECK(!reject_config(p, found.kernels[0].config, testing::h200()));
      walks.push_back(walk(raster, grid));
    }
    for (const Raster& raster : space.rasters) {
      CAPTURE(to_string(raster));
      TileConfig config = found.kernels[0].config;
      config.raster = raster;
      if (reject_config(p, config, testing::h200())) continue;
      CHECK(std::find(walks.begin(), walks.end(), walk(raster, grid)) != walks.end());
    }
  }
}

TEST_CASE("the plainest raster walks the same tiles in the same order") {
  for (const TileCoord grid : {TileCoord{13, 10}, {12, 8}, {1, 9}, {9, 1}, {4, 4}, {16, 3}}) {
    for (const Raster& raster : sm90_space().rasters) {
      if (raster.factor_count == 1 &&
          raster.factors[0] > (raster.axis == tw::GroupAxis::M ? grid.m : grid.n)) {
        continue;  // illegal there
      }
      CAPTURE(to_string(raster));
      CHECK(walk(plainest(raster, grid), grid) == walk(raster, grid));
    }
  }
}

TEST_CASE("a tile is rejected exactly where no family runs it") {
  const DeviceSpec h200 = testing::h200();
  DeviceSpec a100 = testing::h200();
  a100.name = "a100";
  a100.compute_major = 8;
  a100.smem_per_cta_bytes = 166912;
  a100.max_cluster_size = 1;
  const Problem cube{{4096, 4096, 4096}};
  const auto rule = [](const Problem& problem, TileShape cta, ClusterShape cluster,
                       const DeviceSpec& device) {
    const std::optional<Rejection> rejection = reject_tile(problem, cta, cluster, device);
    return rejection ? rejection->rule : std::string();
  };
  CHECK(rule(cube, {512, 512, 64}, {}, h200) == "tile-shape");
  CHECK(rule(cube, {256, 256, 64}, {}, h200) == "registers");
  CHECK(rule(cube, {100, 100, 64}, {}, h200) == "tile-shape");
  CHECK(rule(cube, {128, 256, 64}, {}, h200).empty());
  CHECK(rule(cube, {128, 256, 64}, {2, 1}, h200).empty());
  CHECK(rule(cube, {16, 16, 64}, {}, h200).empty());  // sm80 runs it, with one warp
  CHECK(rule(cube, {128, 128, 64}, {}, a100).empty());
  CHECK(rule(cube, {128, 128, 64}, {2, 1}, a100) == "architecture");
  // The skinny family runs it if it takes all rows.
  CHECK(rule({{8, 4096, 4096}}, {8, 16, 512}, {}, a100).empty());
  CHECK_FALSE(rule(cube, {8, 16, 512}, {}, a100).empty());
  for (const char* const shape : {"4096x4096x4096", "16x8192x4096", "1000x1000x512"}) {
    const Problem p{parse_shape(shape)};
    for (const SearchSpace& space : all_spaces()) {
      for (const LegalKernel& kernel : enumerate(workload_of(p), {space}, h200).kernels) {
        const TileConfig& c = kernel.config;
        if (c.swap_ab || c.decomposition != Decomposition{DataParallel{}}) continue;
        CAPTURE(to_string(c));
        REQUIRE_FALSE(reject_tile(p, c.cta, c.cluster, h200));
      }
    }
  }
}

TEST_CASE("the whole space of one problem has more than 200,000 configs") {
  CHECK(enumerate(workload_of({{8192, 8192, 8192}}), {sm90_space()}, testing::h200()).enumerated >
        200000);
}

}  // namespace
}  // namespace tilewright
