#include "layout/algebra/nested_layout.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "stats/random.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

// The worked example of the dialect's documentation, 64x64.
constexpr const char* kExample =
    "#iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 4], "
    "outer_tile = [1, 1], thread_tile = [16, 4], element_tile = [1, 4], "
    "subgroup_strides = [1, 0], thread_strides = [1, 16]>";

std::string why(std::string_view text) {
  return testing::error_message_of([&] { parse_nested_layout(text); });
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

using testing::contains;

TEST_CASE("golden: 64x64 over two subgroups of 64 threads") {
  const NestedLayout layout = parse_nested_layout(kExample);
  CHECK(vector_shape(layout) == Extents{64, 64});
  CHECK(distributed_shape(layout) == Extents{2, 4, 1, 1, 1, 4});
  CHECK(per_thread_shape(layout) == Extents{2, 16});
  CHECK(virtual_ids(layout, 0, 64).thread == Extents{0, 0});
  CHECK(virtual_ids(layout, 1, 64).thread == Extents{1, 0});
  CHECK(virtual_ids(layout, 16, 64).thread == Extents{0, 1});
  CHECK(thread_id(layout, {0, 1}, 64) == 16);
  // Stride 0 leaves dimension 1 undistributed: subgroup 2 has the same position as subgroup 0.
  CHECK(virtual_ids(layout, 64, 64).subgroup == Extents{1, 0});
  CHECK(virtual_ids(layout, 128, 64).subgroup == Extents{0, 0});
}

TEST_CASE("golden: subgroup_tile [4, 2] with strides [1, 4]") {
  NestedLayout layout = parse_nested_layout(
      "subgroup_tile = [4, 2], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [1, 1], "
      "element_tile = [1, 1], subgroup_strides = [1, 4], thread_strides = [0, 0]");
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 8; ++i) {
    ids.push_back(subgroup_id(layout, row_major_coordinate({4, 2}, i), 8));
  }
  CHECK(ids == std::vector<int64_t>{0, 4, 1, 5, 2, 6, 3, 7});
}

TEST_CASE("short forms mean the same, and printed text parses back") {
  const NestedLayout layout = parse_nested_layout(kExample);
  const std::string text = kExample;
  CHECK(parse_nested_layout(to_string(layout)) == layout);
  CHECK(parse_nested_layout(text.substr(1)) == layout);
  CHECK(parse_nested_layout(text.substr(text.find("nested"))) == layout);
  CHECK(parse_nested_layout(text.substr(text.find('<'))) == layout);
  CHECK(parse_nested_layout(replaced(text, "[2, 1]", "[ 2,1 ]")) == layout);
}

// A layout with random tiles; the strides order the dimensions at random.
NestedLayout random_layout(Random& random) {
  const size_t rank = 1 + random.below(3);
  NestedLayout layout;
  const auto tile = [&] {
    Extents extents;
    for (size_t d = 0; d < rank; ++d) extents.push_back(1 + random.below(3));
    return extents;
  };
  const auto strides = [&](const Extents& extents) {
    Extents result(rank);
    int64_t reached = 1;
    const size_t first = random.below(static_cast<uint32_t>(rank));
    for (size_t i = 0; i < rank; ++i) {
      const size_t d = (first + i) % rank;
      result[d] = reached;
      reached *= extents[d];
    }
    return result;
  };
  layout.subgroup_tile = tile();
  layout.batch_tile = tile();
  layout.outer_tile = tile();
  layout.thread_tile = tile();
  layout.element_tile = tile();
  layout.subgroup_strides = strides(layout.subgroup_tile);
  layout.thread_strides = strides(layout.thread_tile);
  return layout;
}

TEST_CASE("a workgroup of the layout's own size holds every element exactly once") {
  Random random(4);
  for (int i = 0; i < 300; ++i) {
    const NestedLayout layout = random_layout(random);
    const int64_t subgroup_size = volume(layout.thread_tile);
    const int64_t threads = subgroup_size * volume(layout.subgroup_tile);
    for (const ElementOwners& owner : owners(layout, subgroup_size, threads)) {
      REQUIRE(owner.count == 1);
    }
    for (int64_t thread = 0; thread < threads; ++thread) {
      const VirtualIds ids = virtual_ids(layout, thread, subgroup_size);
      REQUIRE(subgroup_id(layout, ids.subgroup, threads / subgroup_size) == thread / subgroup_size);
      REQUIRE(thread_id(layout, ids.thread, subgroup_size) == thread % subgroup_size);
    }
  }
}

// The inverse direction, from an element: position -> (s, b, o, t, e) -> thread.
TEST_CASE("an element's position follows from its mixed-radix digits") {
  Random random(5);
  for (int i = 0; i < 100; ++i) {
    const NestedLayout layout = random_layout(random);
    const int64_t subgroup_size = volume(layout.thread_tile);
    const int64_t threads = subgroup_size * volume(layout.subgroup_tile);
    const std::vector<ElementOwners> all = owners(layout, subgroup_size, threads);
    const Extents shape = vector_shape(layout);
    for (int64_t position = 0; position < volume(shape); ++position) {
      const Extents at = row_major_coordinate(shape, position);
      int64_t thread = 0;
      int64_t subgroup = 0;
      for (size_t d = 0; d < at.size(); ++d) {
        const int64_t above_element = at[d] / layout.element_tile[d];
        thread += above_element % layout.thread_tile[d] * layout.thread_strides[d];
        const int64_t above_thread = above_element / layout.thread_tile[d];
        subgroup +=
            above_thread / layout.outer_tile[d] / layout.batch_tile[d] * layout.subgroup_strides[d];
      }
      REQUIRE(all[static_cast<size_t>(position)].first == subgroup * subgroup_size + thread);
    }
  }
}

TEST_CASE("outer tiles repeat the thread layout: 2x5 threads on 4x5 elements") {
  const NestedLayout layout = parse_nested_layout(
      "subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [2, 5], "
      "element_tile = [1, 1], subgroup_strides = [0, 0], thread_strides = [5, 1]");
  const std::vector<ElementOwners> all = owners(layout, 10, 10);
  for (int64_t position = 0; position < 20; ++position) {
    CHECK(all[static_cast<size_t>(position)].first == position % 10);
  }
}

TEST_CASE("errors name the field, the dimension, the expected and the actual") {
  CHECK(contains(why(replaced(kExample, "[16, 4]", "[16]")),
                 "all fields must have the same rank: thread_tile: expected 2, actual 1"));
  CHECK(contains(why(replaced(kExample, "[16, 4]", "[16, 0]")),
                 "thread_tile: dim 1: expected at least 1, actual 0"));
  CHECK(contains(why(replaced(kExample, "[1, 16]", "[1, 12]")),
                 "thread_strides: dim 1: expected a multiple of 16"));
  CHECK(contains(why(replaced(kExample, "thread_tile", "tread_tile")),
                 "did you mean 'thread_tile'?"));
  CHECK(contains(why(replaced(kExample, "thread_strides", "thread_order")), "older spelling"));
  CHECK(contains(why(replaced(kExample, "batch_tile", "outer_tile")), "outer_tile appears twice"));
  CHECK(contains(why(replaced(kExample, ", thread_strides = [1, 16]", "")),
                 "thread_strides is missing"));
  CHECK(contains(why(replaced(kExample, "[1, 16]>", "[1, 16]")), "the closing '>' is missing"));
  CHECK(contains(why(replaced(kExample, "[1, 16]", "[1, -16]")), "'-16' is not a whole number"));
  CHECK(contains(why(replaced(kExample, "[1, 16]", "1, 16")), "is not a list such as [2, 1]"));
  CHECK(
      contains(why(replaced(kExample, "nested_layout", "flat_layout")), "is not #iree_vector_ext"));
  CHECK(contains(why(replaced(kExample, "[2, 4]", "[4000000, 4000000]")), "more than 4194304"));
  CHECK(contains(why(""), "unknown field"));
  CHECK(contains(why("thread_tile"), "thread_tile has no value"));
}

TEST_CASE("a vector of another shape is refused by dimension") {
  const NestedLayout layout = parse_nested_layout(kExample);
  CHECK_NOTHROW(require_shape(layout, {64, 64}));
  CHECK_THROWS_WITH_AS(require_shape(layout, {64, 32}),
                       doctest::Contains("dim 1: expected 32 of the vector, actual 64 = 1 x 4 x 1 "
                                         "x 4 x 4"),
                       Error);
  CHECK_THROWS_WITH_AS(require_shape(layout, {64}), doctest::Contains("rank: expected 1"), Error);
}

}  // namespace
}  // namespace tilewright
