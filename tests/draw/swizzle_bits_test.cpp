#include "draw/swizzle_bits.hpp"

#include <doctest/doctest.h>

#include <map>

#include "support/scenes.hpp"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

// Maps the column of each arrow's tail to the column of its tip; boxes count from the left.
std::map<int, int> arrows(const PageBlock& block) {
  const std::vector<RectangleItem> boxes = rectangles(block.items, "bit");
  const auto column = [&](double x) {
    return static_cast<int>((x - boxes.front().at.x + 1e6 * boxes.front().width) /
                            boxes.front().width) -
           1000000;
  };
  const int last = static_cast<int>(boxes.size()) / 2 - 1;
  std::map<int, int> found;
  for (const SceneItem& item : block.items) {
    const auto* path = std::get_if<PathItem>(&item);
    if (path == nullptr || path->role != "xor" || path->closed) continue;
    // Boxes are listed from bit 0, which lies on the right.
    found[-column(path->points.front().x)] = -column(path->points.back().x);
  }
  CHECK(static_cast<int>(found.size()) <= last + 1);
  return found;
}

}  // namespace

TEST_CASE("an arrow goes from every bit that is read to the bit that it changes") {
  for (const Swizzle& swizzle : {Swizzle{3, 3, 3}, {2, 4, 3}, {5, 0, 5}, {2, 0, -3}, {0, 4, 3}}) {
    CAPTURE(to_string(swizzle));
    std::map<int, int> expected;
    for (int bit = 0; bit < 13; ++bit) {
      const int64_t change = apply(swizzle, int64_t{1} << bit) ^ (int64_t{1} << bit);
      for (int to = 0; change != 0 && to < 13; ++to) {
        if (change == int64_t{1} << to) expected[bit] = to;
      }
    }
    CHECK(arrows(swizzle_bits_block(swizzle, 2, 8192)) == expected);
  }
}

TEST_CASE("all bits of the tile and of the swizzle are drawn, and the bank's bits are named") {
  CHECK(rectangles(swizzle_bits_block({3, 3, 3}, 2, 512).items, "bit").size() == 2 * 9);
  CHECK(rectangles(swizzle_bits_block({3, 3, 3}, 2, 64).items, "bit").size() == 2 * 9);
  CHECK(rectangles(swizzle_bits_block({3, 3, 3}, 2, 8192).items, "bit").size() == 2 * 13);
  const PageBlock block = swizzle_bits_block({3, 3, 3}, 2, 512);
  const double box = rectangles(block.items, "bit").front().width;
  for (const SceneItem& item : block.items) {
    const auto* bracket = std::get_if<PathItem>(&item);
    if (bracket == nullptr || bracket->role != "bank") continue;
    // f16: bank bits 2 to 6 of the byte are bits 1 to 5 of the offset.
    const double right = rectangles(block.items, "bit").front().at.x + box;
    CHECK(bracket->points.back().x == doctest::Approx(right - box - 2));
    CHECK(bracket->points.front().x == doctest::Approx(right - 6 * box + 2));
  }
  CHECK(tooltip_texts(block.items)[0] == "bit 0: stays");
}

TEST_CASE("a range of columns fills a row where all of its elements stay in place") {
  for (const SharedTile& tile : {SharedTile{32, 16, 4}, {8, 64, 2}, {6, 24, 2}, {64, 128, 1}}) {
    for (const Swizzle& swizzle :
         {Swizzle{3, 3, 3}, {4, 0, 4}, {3, 0, 4}, {4, 0, 5}, {2, 2, 2}, {0, 4, 3}, {2, 0, -3}}) {
      CAPTURE(to_string(swizzle));
      const SwizzlePeriods periods = periods_of(swizzle, tile);
      const PageBlock block = swizzle_periods_block(periods, tile);
      std::vector<bool> filled;
      for (const SceneItem& item : block.items) {
        const auto* cell = std::get_if<RectangleItem>(&item);
        if (cell != nullptr) filled.push_back(cell->role == "stays");
      }
      const auto rows = static_cast<size_t>(std::min({periods.row_period, tile.rows, int64_t{32}}));
      REQUIRE(filled.size() == rows * std::min<size_t>(periods.ranges.size(), 16));
      for (size_t i = 0; i < filled.size(); ++i) {
        const ColumnRange& range = periods.ranges[i / rows];
        bool stays = true;
        for (int64_t c = range.begin; c < range.end; ++c) {
          const int64_t element = static_cast<int64_t>(i % rows) * tile.cols + c;
          stays = stays && apply(swizzle, element) == element;
        }
        CHECK(filled[i] == stays);
      }
      CHECK(overlapping_labels({.items = block.items}, {"caption", "axis"}) == "");
    }
  }
}
