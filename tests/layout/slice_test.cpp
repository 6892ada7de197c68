// A part of a layout has the values that the whole has at the part's coordinates.
#include "layout/algebra/slice.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "stats/random.hpp"
#include "support/error_message.hpp"

using namespace tilewright;
using testing::contains;
using testing::error_message_of;

namespace {

IntTuple random_shape(Random& random, int depth) {
  if (depth == 0 || random.below(3) == 0) return 1 + random.below(4);
  std::vector<IntTuple> items;
  for (uint32_t i = 0; i < 1 + random.below(3); ++i)
    items.push_back(random_shape(random, depth - 1));
  return IntTuple(std::move(items));
}

// A coordinate of the shape with some modes free, and the extents of these from left to right.
SliceCoordinate random_coordinate(const IntTuple& shape, Random& random,
                                  std::vector<int64_t>& free) {
  if (random.below(2) == 0) {
    free.push_back(product(shape));
    return {};
  }
  if (!shape.is_tuple() || random.below(3) == 0) {
    return {random.below(static_cast<uint32_t>(product(shape))), {}};
  }
  SliceCoordinate at;
  for (const IntTuple& item : shape.items())
    at.modes.push_back(random_coordinate(item, random, free));
  return at;
}

// The coordinate with its free modes replaced by indices, from left to right.
IntTuple filled(const SliceCoordinate& at, const std::vector<int64_t>& indices, size_t& next) {
  if (at.is_free()) return indices[next++];
  if (at.index) return *at.index;
  std::vector<IntTuple> items;
  for (const SliceCoordinate& one : at.modes) items.push_back(filled(one, indices, next));
  return IntTuple(std::move(items));
}

}  // namespace

TEST_CASE("the values of a slice are those of the whole at the free modes' coordinates") {
  Random random(13);
  for (int round = 0; round < 500; ++round) {
    std::vector<IntTuple> items;
    for (uint32_t i = 0; i < 1 + random.below(4); ++i) items.push_back(random_shape(random, 2));
    const IntTuple shape(std::move(items));
    const Layout layout = make_layout(shape, map_leaves(shape, [&](const IntTuple&) -> IntTuple {
                                        return static_cast<int64_t>(random.below(100)) - 20;
                                      }));
    SliceCoordinate at;
    std::vector<int64_t> free;
    for (const IntTuple& item : shape.items()) {
      at.modes.push_back(random_coordinate(item, random, free));
    }
    CAPTURE(to_string(layout));
    CAPTURE(to_string(at));
    REQUIRE(has_free_mode(at) == !free.empty());
    const LayoutPart part = slice(layout, at);
    if (free.empty()) {
      CHECK(part.layout == Layout{});
      CHECK(part.begin == value_at(layout, first_coordinate(at)));
      continue;
    }
    REQUIRE(rank(part.layout) == free.size());
    // All values of a small part, some 500 of a large one: an odd step, which divides no extent of
    // even size, visits other places of every mode.
    const int64_t step = size(part.layout) / 512 * 2 + 1;
    for (int64_t i = 0; i < size(part.layout); i += step) {
      std::vector<int64_t> indices;
      int64_t rest = i;
      for (const int64_t extent : free) {
        indices.push_back(rest % extent);
        rest /= extent;
      }
      size_t next = 0;
      CHECK(part.begin.value() + offset_at(part.layout, i) ==
            offset_at(layout, filled(at, indices, next)));
    }
  }
}

TEST_CASE("a coordinate of other modes names both") {
  const Layout layout = compact_layout(IntTuple({4, 8}));
  const SliceCoordinate three{std::nullopt, {{}, {1, {}}, {2, {}}}};
  CHECK(contains(error_message_of([&] { slice(layout, three); }),
                 "a coordinate of 3 modes, (_,1,2)"));
  const SliceCoordinate deep{std::nullopt, {{std::nullopt, {{}, {0, {}}}}, {1, {}}}};
  CHECK_THROWS_AS(slice(layout, deep), Error);
}

TEST_CASE("each thread's partition begins at the element of the tile that its number maps to") {
  Random random(3);
  for (int turn = 0; turn < 200; ++turn) {
    // Threads of two nested modes, in any order of their digits.
    std::vector<int64_t> extents;
    std::vector<IntTuple> shapes;
    for (int m = 0; m < 2; ++m) {
      std::vector<IntTuple> digits;
      for (uint32_t i = 0; i < 1 + random.below(3); ++i) {
        extents.push_back(1 + random.below(3));
        digits.emplace_back(extents.back());
      }
      shapes.emplace_back(std::move(digits));
    }
    std::vector<size_t> order(extents.size());
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[random.below(static_cast<uint32_t>(i))]);
    }
    std::vector<int64_t> strides(extents.size());
    int64_t count = 1;
    for (const size_t digit : order) {
      strides[digit] = count;
      count *= extents[digit];
    }
    size_t next = 0;
    const IntTuple shape(shapes);
    const Layout threads = make_layout(
        shape, map_leaves(shape, [&](const IntTuple&) -> IntTuple { return strides[next++]; }));
    const int64_t rows = product(shapes[0]);
    const int64_t cols = product(shapes[1]);
    const Layout whole = make_layout(IntTuple({2 * rows, 3 * cols}), IntTuple({3 * cols, 1}));
    CAPTURE(to_string(threads));
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < cols; ++j) {
        const LayoutPart part = local_partition(whole, threads, offset_at(threads, i + rows * j));
        CHECK(part.begin.value() == i * 3 * cols + j);
        CHECK(part.layout == make_layout(IntTuple({2, 3}), IntTuple({rows * 3 * cols, cols})));
      }
    }
  }
}

TEST_CASE("a partition of coordinates begins at a coordinate") {
  const Layout identity =
      make_layout(IntTuple({128, 64}),
                  IntTuple({IntTuple::scaled_basis(1, {0}), IntTuple::scaled_basis(1, {1})}));
  const LayoutPart part =
      local_partition(identity, make_layout(IntTuple({16, 8}), IntTuple({8, 1})), 11);
  CHECK(part.begin == IntTuple({1, 3}));
  CHECK(to_string(part.layout) == "(8,8):(16@0,8@1)");
}
