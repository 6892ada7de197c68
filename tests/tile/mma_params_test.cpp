#include "tile/mma_params.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace tilewright;

TEST_CASE("copies are as wide as rows and addresses are aligned") {
  const TileConfig config = config_of(parse_config("family=sm80,cta=64x64x32,warps=2x2"));
  const auto widths = [&config](const char* shape, MatrixLayout layout, OperandAlignment a = {}) {
    const tw::Sm80Params p =
        sm80_params(config, {.shape = parse_shape(shape), .layout = layout}, a);
    return std::pair(p.a_copy_bytes, p.b_copy_bytes);
  };
  CHECK(widths("64x64x64", MatrixLayout::TN) == std::pair(16, 16));
  CHECK(widths("8x4x1028", MatrixLayout::TN) == std::pair(8, 8));
  CHECK(widths("8x6x1028", MatrixLayout::TT) == std::pair(8, 4));
  CHECK(widths("9x6x1028", MatrixLayout::NT) == std::pair(2, 4));
  CHECK(widths("64x64x64", MatrixLayout::TN, {2, 8}) == std::pair(2, 8));
}

TEST_CASE("a split leaves every slice a k-step") {
  TileConfig config = config_of(parse_config("family=sm80,cta=64x64x32,warps=2x2"));
  CHECK(slice_count(config, {64, 64, 4096}) == 1);
  config.decomposition = SplitK{8, Reduction::Serial};
  CHECK(slice_count(config, {64, 64, 4096}) == 8);
  CHECK(slice_count(config, {64, 64, 100}) == 3);
  CHECK(slice_count(config, {64, 64, 1}) == 1);
}
