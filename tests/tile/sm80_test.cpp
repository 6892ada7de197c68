#include "tile/family/sm80.hpp"

#include <doctest/doctest.h>

#include <utility>

#include "tile/config/config_keys.hpp"

using namespace tilewright;

TEST_CASE("copies are as wide as rows are aligned") {
  const TileConfig config = config_of(parse_config("family=sm80,cta=64x64x32,warps=2x2"));
  const auto widths = [&config](const char* shape, MatrixLayout layout) {
    const tw::Sm80Params p =
        sm80_params(config, {.shape = parse_shape(shape), .kind = {.layout = layout}});
    return std::pair(p.a_copy_bytes, p.b_copy_bytes);
  };
  CHECK(widths("64x64x64", MatrixLayout::TN) == std::pair(16, 16));
  CHECK(widths("8x4x1028", MatrixLayout::TN) == std::pair(8, 8));
  CHECK(widths("8x6x1028", MatrixLayout::TT) == std::pair(8, 4));
  CHECK(widths("9x6x1028", MatrixLayout::NT) == std::pair(2, 4));
}
