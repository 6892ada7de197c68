#include "layout/smem/tile_pattern.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "base/error.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::error_message_of;

// How often each element of the tile is accessed; a matrix counts as 8 rows of 16 bytes.
std::map<int64_t, int> touches(const SharedTile& tile, const TilePattern& pattern) {
  std::map<int64_t, int> counts;
  for (const LaneElements& lanes : warp_accesses(tile, pattern)) {
    for (const int64_t first : lanes) {
      if (first == kInactive) continue;
      for (int64_t i = 0; i < elements_together(tile, pattern); ++i) ++counts[first + i];
    }
  }
  return counts;
}

TEST_CASE("every walk touches every element exactly once, and pieces stay inside a row") {
  for (const char* const tile_text : {"8x64", "16x32", "128x64", "24x40", "64x128"}) {
    for (const char* const dtype : {"f16", "f32", "i8"}) {
      const SharedTile tile = parse_shared_tile(tile_text, dtype);
      for (const char* const name :
           {"st.v4", "ld.v2", "ld.b32", "ld.b32@col", "st.v4@col", "ldmatrix.x1", "stmatrix.x1"}) {
        const TilePattern pattern = parse_tile_pattern(name);
        if (tile.cols * tile.element_bytes % pattern.op.bytes != 0) continue;
        CAPTURE(tile_text);
        CAPTURE(name);
        const std::map<int64_t, int> counts = touches(tile, pattern);
        CHECK(static_cast<int64_t>(counts.size()) == element_count(tile));
        for (const auto& element : counts) CHECK(element.second == 1);
      }
    }
  }
}

TEST_CASE("consecutive lanes run along rows, or down columns") {
  const SharedTile tile = parse_shared_tile("32x32", "f32");
  const LaneElements rows = warp_accesses(tile, parse_tile_pattern("ld.b32"))[0];
  const LaneElements cols = warp_accesses(tile, parse_tile_pattern("ld.b32@col"))[0];
  for (int64_t lane = 0; lane < kWarpLanes; ++lane) {
    CHECK(rows[static_cast<size_t>(lane)] == lane);
    CHECK(cols[static_cast<size_t>(lane)] == lane * 32);
  }
}

TEST_CASE("ldmatrix.x4 takes 16 rows by 32 bytes, matrices downwards first; 8 rows side by side") {
  const LaneElements square =
      warp_accesses(parse_shared_tile("16x64", "f16"), parse_tile_pattern("ldmatrix.x4"))[0];
  CHECK(square[0] == 0);
  CHECK(square[7] == 7 * 64);
  CHECK(square[8] == 8 * 64);
  CHECK(square[16] == 8);
  CHECK(square[31] == 15 * 64 + 8);
  const LaneElements flat =
      warp_accesses(parse_shared_tile("8x64", "f16"), parse_tile_pattern("ldmatrix.x4"))[0];
  CHECK(flat[8] == 8);
  CHECK(flat[31] == 7 * 64 + 24);
}

TEST_CASE("an access that does not fit is a usage error") {
  CHECK(contains(error_message_of([] { parse_shared_tile("8", "f16"); }), "not ROWSxCOLS"));
  CHECK(contains(error_message_of([] { parse_shared_tile("8x0", "f16"); }), "not ROWSxCOLS"));
  CHECK(contains(error_message_of([] { parse_shared_tile("2048x1024", "f16"); }),
                 "1048576 elements"));
  CHECK(contains(error_message_of([] { parse_shared_tile("8x8", "f61"); }), "did you mean 'f16'?"));
  CHECK(contains(error_message_of([] { parse_tile_pattern("ld.b32@diagonal"); }),
                 "@row or down @col"));
  CHECK(contains(error_message_of([] { parse_tile_pattern("ldmatrix.x4@col"); }), "omit '@col'"));
  const auto walk = [](const char* tile, const char* dtype, const char* pattern) {
    return error_message_of(
        [&] { warp_accesses(parse_shared_tile(tile, dtype), parse_tile_pattern(pattern)); });
  };
  CHECK(contains(walk("8x12", "f16", "st.v4"), "do not divide the rows of a 8x12"));
  CHECK(contains(walk("8x8", "f32", "ld.u16"), "less than an element of 4 bytes"));
  CHECK(contains(walk("12x64", "f16", "ldmatrix.x1"), "8 rows at a time"));
  CHECK(contains(walk("8x8", "f16", "ldmatrix.x4"), "which do not divide"));
}

}  // namespace
}  // namespace tilewright
