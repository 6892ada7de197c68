// Parts of a layout are the layout at the part's place, element by element.
#include "layout/text/partition_text.hpp"

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
        Case{"local_tile((8,8):(8,1), (2,2), (a,1))", "'a' is neither"},
        Case{"local_tile((8,8):(8,1), (2,2), (blockIdx.x,1))", "a number, such as 0"},
        Case{"local_tile((8,8):(8,1), (2,2))", "local_tile: the argument 'coord' is missing"},
        Case{"local_tile((8,8):(8,1), (2,2), (1,1)", "after an argument of local_tile"},
        Case{"local_partition((8,8):(8,1), (2,2), 4)", "thread 4 is not in [0, 4)"},
        Case{"local_partition((8,8):(8,1), (2,2), threadIdx.x)", "write a number, such as 0"},
        Case{"local_partition((8,8):(8,1), (2,2), 1, Step<_1>{})", "2 modes and the projection 1"},
        Case{"slice_((8,8):(8,1), (None,0), mode=1)", "slice_ has no argument of this name"},
        Case{"(8,8):(8,1)(_,0,0)", "a coordinate of 3 modes"},
        Case{"(8,8):(8,1)(_,8)", "coordinate 8 is out of range"}}) {
    CAPTURE(one.text);
    CHECK(contains(error_message_of([&] { layout_read(one.text); }), one.words));
  }
}

TEST_CASE("a slice keeps the free modes, in every spelling of them") {
  const ComposedLayout column = layout_read("(8,4,3):(1,8,32)(_,2,_)");
  CHECK(to_string(column) == "(8,3):(1,32)");
  for (const char* const text :
       {"(8,4,3):(1,8,32)(None, 2, None)", "(8,4,3):(1,8,32)(make_coord(_, 2, _))",
        "make_layout((8,4,3))[None, 2, None]", "cute.slice_(make_layout((8,4,3)), (None, 2, None))",
        "slice(make_coord(_, Int<2>{}, _), Layout<Shape<_8,_4,_3>>{})",
        "L = cute.make_layout((8, 4, 3))\nS = L[None, 2, None]",
        "auto L = make_layout(make_shape(_8{}, _4{}, _3{})); L(_, 2, _)"}) {
    CAPTURE(text);
    CHECK(layout_read(text) == column);
  }
  CHECK(to_string(layout_read("((2,4),8,3):((1,16),2,64)((_,3),_,1)")) == "(2,8):(1,2)");
  // An index in brackets is a mode of the layout, as in CuTe DSL.
  CHECK(to_string(layout_read("((2,4),8,3):((1,16),2,64)[0]")) == "(2,4):(1,16)");
  CHECK(to_string(evaluate_layout("(8,4,3):(1,8,32)[(1, 2, 1)]")) == "49");
  Derivation why;
  evaluate_layout("Sw<3,3,3> o 0 o (8,64,2):(64,1,520)(_,_,1)", &why);
  REQUIRE(why.lints().size() == 1);
  CHECK(contains(why.lints()[0].message,
                 "begins at offset 520 of Sw<3,3,3> o 0 o (8,64,2):(64,1,520), where it is "
                 "Sw<3,3,3> o 520 o (8,64):(64,1)"));
}

TEST_CASE("the partitions of all threads hold every element once, at its thread's place") {
  for (const char* const threads : {"(4,8):(8,1)", "(8,4):(1,8)", "((2,2),8):((1,16),2)", "16"}) {
    CAPTURE(threads);
    const ComposedLayout of_threads = layout_read(threads);
    const ComposedLayout whole = layout_read("(16,32):(32,1)");
    const int64_t count = size(of_threads.layout);
    const int64_t rows = count == 16 ? 16 : size(mode(of_threads.layout, 0));
    const int64_t columns = count / rows;
    int64_t held = 0;
    for (int64_t thread = 0; thread < count; ++thread) {
      Derivation why;
      const ComposedLayout part = as_layout(
          evaluate_layout(format("local_partition((16,32):(32,1), {}, {})", threads, thread), &why),
          "a partition");
      int64_t begin = 0;
      for (const LayoutLint& lint : why.lints()) {
        begin = std::stoll(lint.message.substr(lint.message.find("offset ") + 7));
      }
      for (int64_t i = 0; i < size(part.layout); ++i) {
        const int64_t offset = begin + offset_at(part, i);
        // The element's place in its tile has this thread's number.
        const int64_t place = offset / 32 % rows + offset % 32 % columns * rows;
        CHECK(offset_at(of_threads, place) == thread);
        ++held;
      }
    }
    CHECK(held == size(whole.layout));
  }
}
