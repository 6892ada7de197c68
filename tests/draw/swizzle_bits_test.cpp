#include <doctest/doctest.h>

#include <map>

#include "draw/layout_diagram.hpp"
#include "support/scenes.hpp"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

// From the column of each arrow's tail to that of its tip, in boxes from the left.
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

TEST_CASE("an arrow goes from every bit that is read to the one that it changes") {
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

TEST_CASE("all bits of the tile and of the swizzle are shown, and those of the bank are named") {
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
  CHECK(hover_texts(block.items)[0] == "bit 0: stays");
}
