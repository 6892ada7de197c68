// local_tile(): a tile of a layout is the layout at the tile's place, element by element.
#include "layout/text/tiled_text.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "support/error_message.hpp"
#include "support/evaluation.hpp"

using namespace tilewright;
using testing::contains;
using testing::error_message_of;
using testing::layout_read;

namespace {

// A swizzle keeps the offset where the tile begins in the layout.
constexpr const char* kWhole = "Sw<3,3,3> o 0 o (64,128):(128,1)";

}  // namespace

TEST_CASE("every element of a tile lies where the whole layout has it") {
  const ComposedLayout whole = layout_read(kWhole);
  for (const int64_t m : {0, 3, 7}) {
    for (const int64_t n : {0, 1, 3}) {
      const std::string text =
          format("local_tile({}, Shape<_8,_32>{{}}, make_coord({}, {}))", kWhole, m, n);
      CAPTURE(text);
      const ComposedLayout tile = layout_read(text);
      REQUIRE(size(tile.layout) == 8 * 32);
      for (int64_t i = 0; i < 8; ++i) {
        for (int64_t j = 0; j < 32; ++j) {
          CHECK(offset_at(tile, IntTuple({i, j})) ==
                offset_at(whole, IntTuple({8 * m + i, 32 * n + j})));
        }
      }
    }
  }
}

TEST_CASE("tiles along a mode without a coordinate stay, and count along the last mode") {
  const ComposedLayout whole = layout_read(kWhole);
  for (const char* const open : {"_", "X", "None"}) {
    const ComposedLayout tiles =
        layout_read(format("local_tile({}, (8, 32), (2, {}))", kWhole, open));
    REQUIRE(rank(tiles.layout) == 3);
    for (int64_t n = 0; n < 4; ++n) {
      CHECK(offset_at(tiles, IntTuple({5, 7, n})) ==
            offset_at(whole, IntTuple({16 + 5, 32 * n + 7})));
    }
  }
}

TEST_CASE("a projection leaves the modes out that it crosses out") {
  // A of a product is tiled along m and k: Step<_1, X, _1> of (m, n, k).
  const ComposedLayout direct = layout_read(format("local_tile({}, (8, 32), (2, 1))", kWhole));
  const ComposedLayout projected = layout_read(
      format("local_tile({}, (8, 16, 32), make_coord(2, 9, 1), Step<_1, X, _1>{{}})", kWhole));
  CHECK(projected == direct);
  CHECK(contains(error_message_of([] {
                   layout_read(format("local_tile({}, (8, 32), (2, 1), Step<_1>{{}})", kWhole));
                 }),
                 "have 2, 2 and 1 modes"));
}

TEST_CASE("a plain tile says where it begins, which its layout does not hold") {
  Derivation why;
  evaluate_layout("local_tile((512,256):(256,1), Shape<_128,_64>{}, make_coord(1, 2))", &why);
  REQUIRE(why.lints().size() == 1);
  CHECK(why.lints()[0].code == "tile-offset");
  CHECK(contains(why.lints()[0].message, format("{}", 128 * 256 + 2 * 64)));
}

TEST_CASE("a tile that is not written to the end, or has no place, is refused") {
  struct Case {
    const char* text;
    const char* words;
  };
  for (const Case& one :
       {Case{"local_tile((8,8):(8,1), (2,2), (1,1,1))", "a coordinate of 3 modes"},
        Case{"local_tile((8,8):(8,1), (2,2), (a,1))", "a coordinate"},
        Case{"local_tile((8,8):(8,1), (2,2))", "before the coordinate"},
        Case{"local_tile((8,8):(8,1), (2,2), (1,1)", "after the coordinate"},
        Case{"make_tiled_mma(SM80_1x1x1_X_TN{})", "not a matrix instruction"}}) {
    CAPTURE(one.text);
    CHECK(contains(error_message_of([&] { layout_read(one.text); }), one.words));
  }
}
