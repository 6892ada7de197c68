#include "layout/smem/layout_access.hpp"

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "layout/smem/wgmma_layout.hpp"
#include "layout/text/layout_expression.hpp"

namespace tilewright {
namespace {

TileCost cost(const char* layout, int bytes, const char* pattern) {
  return cost_of_layout(parse_layout(layout), bytes, parse_tile_pattern(pattern));
}

TEST_CASE("a tile of f16 read by ldmatrix.x4: 32 wavefronts an instruction, 4 when swizzled") {
  CHECK(cost("(32,64):(64,1)", 2, "ldmatrix.x4").most == 32);
  CHECK(cost("Sw<3,3,3> o 0 o (32,64):(64,1)", 2, "ldmatrix.x4") ==
        TileCost{.instructions = 8, .total = 32, .ideal = 32, .least = 4, .most = 4});
  // The same rows, stored along mode 0.
  CHECK(cost("Sw<3,3,3> o 0 o (64,32):(1,64)", 2, "ldmatrix.x4.trans").most == 4);
}

TEST_CASE("the cost of a layout equals that of walking the plain tile") {
  const SharedTile tile{64, 32, 4};
  for (const char* const name : {"st.v4", "ld.b32@col", "ld.v2"}) {
    const TilePattern pattern = parse_tile_pattern(name);
    const TileCost plain =
        cost_of_accesses(pattern.op, warp_accesses(tile, pattern), 4, [](int64_t e) { return e; });
    CHECK(cost("(64,32):(32,1)", 4, name) == plain);
    // Pieces of several elements use the mode along which they are contiguous; pieces of one
    // element use mode 1.
    if (pattern.op.bytes > 4) CHECK(cost("(32,64):(1,32)", 4, name) == plain);
  }
}

TEST_CASE("pieces that are not contiguous or not aligned are refused") {
  CHECK_THROWS_AS(cost("(8,8):(16,2)", 2, "st.v4"), Error);
  CHECK_THROWS_AS(cost("(8,8):(9,1)", 2, "st.v4"), Error);
  CHECK_THROWS_AS(cost("(8,8,2,2):(8,1,64,128)", 2, "st.v4"), Error);
}

// An accumulator of 16x8 f32, stored row after row, two adjacent values at once.
TEST_CASE("a copy by thread and value: mma's C registers to rows of 8 f32") {
  const Layout threads = parse_layout(find_atom("mma.m16n8k16", "C").threads).layout;
  const TileCost pairs =
      cost_of_copy(parse_layout("(16,8):(8,1)"), threads, 4, parse_access_op("st.v2"));
  CHECK(pairs == TileCost{.instructions = 2, .total = 4, .ideal = 4, .least = 2, .most = 2});
  const TileCost single =
      cost_of_copy(parse_layout("(16,8):(8,1)"), threads, 4, parse_access_op("st.b32"));
  CHECK(single.instructions == 4);
  CHECK(single.most == 2);
  // Stored column after column, no two values are adjacent.
  CHECK_THROWS_AS(cost_of_copy(parse_layout("(16,8):(1,16)"), threads, 4, parse_access_op("st.v2")),
                  Error);
  CHECK_THROWS_AS(cost_of_copy(parse_layout("(8,8):(8,1)"), threads, 4, parse_access_op("st.b32")),
                  Error);
}

}  // namespace
}  // namespace tilewright
