// Groups of products with different shapes in one launch, against float64: every schedule and
// order, layouts, products without rows, columns or depth; and the kernel's own trace against the
// plan.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/group_trials.hpp"
#include "support/random_configs.hpp"
#include "support/sm90_configs.hpp"

namespace tilewright {
namespace {

// Few kernels over many groups: each is compiled once.
const std::vector<std::string> kOwnConfigs = {
    "cta=128x128x64,raster=swizzle-merge:4,group_schedule=device-only",
    "cta=128x128x64,raster=hilbert,group_schedule=dynamic,problem_order=lpt",
    "cta=128x256x64,cluster=2x1,raster=col,group_schedule=host-precompute,problem_order=lpt",
    "cta=64x128x64,cluster=1x2,raster=row,group_schedule=dynamic",
    "cta=128x96x64,schedule=pingpong,raster=row,group_schedule=device-only,problem_order=lpt",
    "cta=256x64x64,swap_ab=true,cluster=2x1,raster=row,group_schedule=host-precompute",
    "cta=128x32x64,swap_ab=true,raster=split-merge:2@n,group_schedule=dynamic",
    "cta=192x64x64,schedule=pingpong,raster=row,group_schedule=dynamic,problem_order=k-descending",
    "cta=256x128x64,raster=row,group_schedule=device-only,problem_order=k-descending"};

// Divided tiles, with parts from the host's table.
const std::vector<std::string> kDivided = {
    "cta=128x128x64,raster=row,group_schedule=host-precompute,decomposition=split-k:3:serial",
    "cta=64x128x64,cluster=1x2,raster=hilbert,group_schedule=host-precompute,problem_order=lpt,"
    "decomposition=split-k:4:atomic",
    "cta=128x96x64,schedule=pingpong,raster=row,group_schedule=host-precompute,problem_order=lpt,"
    "decomposition=split-k:2:serial",
    "cta=256x64x64,swap_ab=true,raster=row,group_schedule=host-precompute,problem_order=k-"
    "descending,"
    "decomposition=split-k:5:atomic"};

// Every `stride`-th config.
std::vector<TileConfig> legal_own_configs(const Workload& group, size_t turn, size_t stride = 1) {
  std::vector<std::string> keys;
  for (size_t i = turn % stride; i < kOwnConfigs.size(); i += stride)
    keys.push_back(kOwnConfigs[i]);
  return testing::legal_configs(group, keys, 3);
}

testing::GroupTrial own_trial(const Workload& group, size_t turn,
                              const std::vector<Scaling>& scalings, size_t stride = 1) {
  return {group, testing::launches_of(legal_own_configs(group, turn, stride), scalings)};
}

Workload group_of(const std::string& shapes, MatrixLayout layout = MatrixLayout::TN) {
  return {.kind = {.layout = layout}, .shapes = parse_shapes(shapes, MatrixOp::Gemm)};
}

// Sizes from 0 to `most`; contiguous ones in multiples of 16 bytes.
Workload random_group(size_t products, int64_t most, MatrixLayout layout, std::mt19937& random) {
  Workload group{.kind = {.layout = layout}, .shapes = {}};
  const auto extent = [&](bool contiguous) -> int64_t {
    const auto size = static_cast<int64_t>(
        random() % 6 == 0 ? random() % 2 : random() % static_cast<uint64_t>(most));
    return contiguous ? (size + 7) / 8 * 8 : size;
  };
  while (group.shapes.size() < products) {
    const bool k = is_k_major_a(layout) || is_k_major_b(layout);
    group.shapes.push_back({extent(!is_k_major_a(layout)),
                            extent(!is_k_major_b(layout) || random() % 2 == 0), extent(k)});
  }
  return group;
}

TEST_CASE("products with per-problem shapes are right in one launch") {
  std::vector<testing::GroupTrial> trials;
  for (const char* const shapes :
       {"1152x768x128,1152x768x1024,768x1152x128,768x1152x1024", "1x8x8,300x264x200",
        "128x128x64,0x64x64,64x0x64,64x64x0,129x136x72,1x8x4096", "8x256x0,300x256x0",
        "70x1x64,1x300x128,65x129x8", "2000x8x64,8x2000x64,8x8x2000"}) {
    trials.push_back(own_trial(group_of(shapes), trials.size(), {Scaling{}, Scaling{-2, 0.5F}}));
    CHECK(trials.back().launches.size() > 4);
  }
  testing::check_group_trials(trials);
}

TEST_CASE("groups of every layout and output type are right") {
  std::mt19937 random(31);
  std::vector<testing::GroupTrial> trials;
  for (const MatrixLayout layout :
       {MatrixLayout::TN, MatrixLayout::NN, MatrixLayout::NT, MatrixLayout::TT}) {
    for (const bool fp32 : {false, true}) {
      Workload group = random_group(9, 400, layout, random);
      if (fp32) group.kind.epilogue.out_dtype = DataType::F32;
      CAPTURE(to_string(layout));
      trials.push_back(own_trial(group, trials.size(), {Scaling{}, Scaling{-2, 0.5F}}, 3));
      CHECK(!trials.back().launches.empty());
    }
  }
  testing::check_group_trials(trials);
}

TEST_CASE("random groups with per-problem shapes are right") {
  std::mt19937 random(32);
  std::vector<testing::GroupTrial> trials;
  for (size_t i = 0; i < 12; ++i) {
    trials.push_back(own_trial(random_group(2 + random() % 70, 700, MatrixLayout::TN, random), i,
                               {Scaling{}}, 3));
  }
  CHECK(testing::check_group_trials(trials) > 20);
}

// The shape of weight gradients: K is a share of the rows of all experts.
TEST_CASE("packed shares of K are right, those without depth are zeros") {
  std::vector<testing::GroupTrial> trials;
  size_t turn = 0;
  for (const char* const depths :
       {"64,1,0,63,65,200", "0,0,7", "1000,0,0,0", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"}) {
    Workload group{.kind = {.layout = MatrixLayout::NT}, .shapes = {}};
    for (const std::string_view depth : split(depths, ',')) {
      group.shapes.push_back({264, 136, std::stoll(std::string(depth))});
    }
    REQUIRE(packing_of(group) == Packing::Depth);
    trials.push_back(own_trial(group, turn, {Scaling{}, Scaling{1, 0.5F}}, 3));
    CHECK(!trials.back().launches.empty());
    group.kind.epilogue.out_dtype = DataType::F32;
    trials.push_back(own_trial(group, ++turn, {Scaling{}}, 3));
    CHECK(!trials.back().launches.empty());
  }
  testing::check_group_trials(trials);
}

TEST_CASE("deep products of a group are divided, and shallow ones are not") {
  std::mt19937 random(35);
  std::vector<Workload> groups = {group_of("300x264x2048,64x136x64,0x8x512,129x72x1000,8x8x0")};
  groups.push_back(random_group(20, 700, MatrixLayout::TN, random));
  std::vector<testing::GroupTrial> trials;
  std::vector<testing::GroupTrial> traced;
  for (Workload& group : groups) {
    for (const bool fp32 : {false, true}) {
      if (fp32) group.kind.epilogue.out_dtype = DataType::F32;
      const std::vector<TileConfig> configs = testing::legal_configs(group, kDivided, 3);
      // The last launch finds the turns and zeros that the others left.
      trials.push_back(
          {group, testing::launches_of(configs, {Scaling{}, Scaling{-2, 0.5F}, Scaling{}})});
      if (!fp32) traced.push_back({group, testing::launches_of(configs)});
    }
  }
  CHECK(testing::check_group_trials(trials) > 18);
  testing::check_group_traces(traced);
}

TEST_CASE("sizes are read on the device: shares of K may be empty") {
  Workload group{.kind = {.layout = MatrixLayout::NT}, .shapes = {{136, 72, 64}, {136, 72, 200}}};
  testing::GroupBench bench(group);
  std::vector<uint16_t> d(2 * 136 * 72);
  for (const char* const schedule : {"device-only", "dynamic"}) {
    const TileConfig config =
        testing::sm90_config(format("cta=128x64x64,raster=row,group_schedule={}", schedule), 3);
    for (const bool wide : {false, true}) {
      bench.poison();
      if (wide) {
        bench.launch(config, std::vector<long long>{0, 0, 264});
      } else {
        bench.launch(config, std::vector<int>{0, 0, 264});
      }
      copy_to_host(d.data(), bench.operands().d, d.size() * 2);
      CHECK(std::count(d.begin(), d.begin() + 136 * 72, 0) == 136 * 72);
      CHECK(std::count(d.begin() + 136 * 72, d.end(), 0xFFFF) == 0);
      CHECK(std::count(d.begin() + 136 * 72, d.end(), 0) < 100);
    }
    CHECK(bench.run(config).ok);
  }
}

TEST_CASE("the kernel's trace of groups with per-problem shapes equals the plan") {
  std::mt19937 random(33);
  std::vector<testing::GroupTrial> trials;
  for (size_t i = 0; i < 6; ++i) {
    const Workload group = random_group(2 + random() % 80, 900, MatrixLayout::TN, random);
    trials.push_back(own_trial(group, i, {Scaling{}}, 2));
  }
  CHECK(testing::check_group_traces(trials) > 15);
}

}  // namespace
}  // namespace tilewright
