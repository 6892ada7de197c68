// The price of cuBLASLt's algorithms is that of our kernel that divides alike, and decides safely.
#include "answer/library_price.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "answer/shipped_choice.hpp"
#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

double own_us(const Workload& product, const char* config) {
  return replay_us(make_plan(product, config_of(parse_config(config)), testing::h200()),
                   testing::h200());
}

TEST_CASE("an algorithm costs what the faster of our kernels of its tile does") {
  const Workload product = workload_of({{1024, 2048, 4096}});
  const AlgorithmMapping mapping{.tile_m = 128, .tile_n = 256, .cluster = {2, 1}};
  const double straight =
      own_us(product,
             "family=sm90,cta=128x256x64,cluster=2x1,stages=4,schedule=cooperative,swap_ab=false");
  const double swapped = own_us(
      product, "family=sm90,cta=256x128x64,cluster=1x2,stages=4,schedule=cooperative,swap_ab=true");
  const std::optional<double> us = predicted_library_us(product, mapping, testing::h200());
  REQUIRE(us);
  CHECK(*us <= straight);
  CHECK(*us <= swapped);
  CHECK(*us > 0.8 * std::min(straight, swapped));
}

TEST_CASE("a tile of few rows of D is priced by our kernel that swaps the operands") {
  const Workload product = workload_of({{8, 4096, 4096}});
  const auto us = predicted_library_us(product, {.tile_m = 8, .tile_n = 64}, testing::h200());
  const auto divided =
      predicted_library_us(product, {.tile_m = 8, .tile_n = 64, .slices = 2}, testing::h200());
  REQUIRE(us);
  REQUIRE(divided);
  TileConfig swapped = config_of(parse_config("cta=64x8x64,swap_ab=true"));
  swapped.stages = max_stages(swapped, problem_of(product, 0), testing::h200());
  const double own = own_us(product, to_string(swapped).c_str());
  CHECK(*us <= own);
  CHECK(*us > 0.8 * own);
  CHECK(*us != *divided);
}

TEST_CASE(
    "a cluster that our kernels lack counts as none, and a tile that they lack has no price") {
  const Workload product = workload_of({{512, 512, 512}});
  const AlgorithmMapping alone{.tile_m = 64, .tile_n = 40};
  AlgorithmMapping wide = alone;
  wide.cluster = {8, 8};
  const auto us = predicted_library_us(product, wide, testing::h200());
  CHECK(us == predicted_library_us(product, alone, testing::h200()));
  CHECK_FALSE(predicted_library_us(product, {.tile_m = 8, .tile_n = 768}, testing::h200()));
}

TEST_CASE("only a kernel that is predicted to be faster beyond the margin answers") {
  CHECK(is_surely_faster(100 * (1 - kLibraryMargin) - 0.01, 100));
  CHECK_FALSE(is_surely_faster(100 * (1 - kLibraryMargin) + 0.01, 100));
  CHECK_FALSE(is_surely_faster(1, std::nullopt));
}

}  // namespace
}  // namespace tilewright
