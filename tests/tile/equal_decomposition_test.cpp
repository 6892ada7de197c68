#include "tile/plan/equal_decomposition.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <tuple>

#include "base/text.hpp"
#include "support/devices.hpp"

namespace tilewright {
namespace {

// The cuts of every tile along k, from the walk.
std::map<std::tuple<int, int, int>, std::map<int, int>> cuts_of(const Plan& plan) {
  std::map<std::tuple<int, int, int>, std::map<int, int>> cuts;
  for (const std::vector<WorkTile>& cta : assignments(plan)) {
    for (const WorkTile& w : cta) cuts[{w.problem, w.m, w.n}][w.k_begin] = w.k_end;
  }
  return cuts;
}

TileConfig config_with(const char* raster, const char* decomposition) {
  TileConfig config;
  config.cta = {128, 128, 64};
  config.stages = 4;
  config.raster = parse_raster(raster);
  config.decomposition = parse_decomposition(decomposition);
  return config;
}

std::string equal_of(const char* shapes, const TileConfig& config, int64_t ctas = 0) {
  const Workload workload{.shapes = parse_shapes(shapes, MatrixOp::Gemm)};
  const DeviceSpec device = testing::h200();
  const auto equal =
      equal_decomposition(make_plan(workload, config, device, {.ctas = ctas}), device);
  return equal ? to_string(*equal) : "";
}

TEST_CASE("stream-k of 33 slots on 132 CTAs equals split-k:4; with 32 slots it equals none") {
  TileConfig config = config_with("split-merge:3", "stream-k");
  config.swap_ab = true;
  CHECK(equal_of("128x4096x8192", config) == "split-k:4");
  CHECK(equal_of("128x4096x8192", config_with("row", "stream-k")) == "");
  config.decomposition = parse_decomposition("stream-k:atomic");
  CHECK(equal_of("128x4096x8192", config) == "split-k:4:atomic");
}

TEST_CASE("what divides nothing equals data-parallel, and unused slices are left out") {
  CHECK(equal_of("128x16896x512", config_with("row", "stream-k")) == "data-parallel");
  CHECK(equal_of("128x128x64", config_with("row", "split-k:4")) == "data-parallel");
  CHECK(equal_of("128x128x192", config_with("row", "split-k:8")) == "split-k:3");
  CHECK(equal_of("128x128x512", config_with("row", "split-k:8")) == "");
  CHECK(equal_of("128x128x512", config_with("row", "data-parallel")) == "");
}

TEST_CASE("a decomposition is named exactly where a slice count cuts the same parts") {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int64_t named = 0;
  for (int i = 0; i < 400; ++i) {
    const std::string shapes =
        format("{}x{}x{}", 128 * (1 + below(3)), 128 * (1 + below(6)), 64 * (1 + below(20)));
    const char* const decompositions[] = {"stream-k", "stream-k:all", "stream-k:one-tile",
                                          "split-k:2", "split-k:12"};
    const TileConfig config =
        config_with(below(2) == 0 ? "row" : "split-merge:3", decompositions[below(5)]);
    const int64_t ctas = 1 + below(24);
    CAPTURE(shapes);
    CAPTURE(ctas);
    CAPTURE(to_string(config.decomposition));
    const DeviceSpec device = testing::h200();
    const Workload workload{.shapes = parse_shapes(shapes, MatrixOp::Gemm)};
    const auto cuts = cuts_of(make_plan(workload, config, device, {.ctas = ctas}));
    std::string first;
    for (int slices = 1; slices <= 24 && first.empty(); ++slices) {
      TileConfig other = config;
      other.decomposition = DataParallel{};
      if (slices > 1) other.decomposition = SplitK{slices, Reduction::Serial};
      if (cuts_of(make_plan(workload, other, device, {.ctas = ctas})) == cuts) {
        first = to_string(other.decomposition);
      }
    }
    if (first == to_string(config.decomposition)) first.clear();
    CHECK(equal_of(shapes.c_str(), config, ctas) == first);
    named += first.empty() ? 0 : 1;
  }
  CHECK(named > 40);
}

}  // namespace
}  // namespace tilewright
