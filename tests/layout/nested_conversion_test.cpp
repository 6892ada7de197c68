// Nested layouts converted to other notations hold the same elements, thread by thread.
#include "layout/algebra/nested_conversion.hpp"

#include <doctest/doctest.h>

#include <string>

#include "layout/text/triton_dialect.hpp"
#include "support/error_message.hpp"

using namespace tilewright;
using testing::contains;
using testing::error_message_of;

namespace {

constexpr const char* kFull =
    "subgroup_tile = [2, 1], batch_tile = [2, 4], outer_tile = [1, 1], thread_tile = [16, 4], "
    "element_tile = [1, 4], subgroup_strides = [1, 0], thread_strides = [1, 16]";
constexpr const char* kOuter =
    "subgroup_tile = [2, 2], batch_tile = [1, 2], outer_tile = [4, 1], thread_tile = [2, 8], "
    "element_tile = [2, 2], subgroup_strides = [2, 1], thread_strides = [8, 1]";
constexpr const char* kGaps =
    "subgroup_tile = [1, 2], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [4, 4], "
    "element_tile = [1, 2], subgroup_strides = [0, 2], thread_strides = [1, 8]";
constexpr const char* kOdd =
    "subgroup_tile = [1], batch_tile = [3], outer_tile = [2], thread_tile = [5], "
    "element_tile = [2], subgroup_strides = [0], thread_strides = [1]";

struct Case {
  const char* text;
  int64_t subgroup_size;
  int64_t subgroups;
};
// In the last ones a subgroup ends within the layout's thread tile.
constexpr Case kConversions[] = {{kFull, 64, 2},  {kFull, 64, 4}, {kOuter, 16, 4}, {kGaps, 32, 4},
                                 {kGaps, 64, 4},  {kOdd, 5, 1},   {kFull, 32, 2},  {kFull, 32, 4},
                                 {kFull, 16, 8},  {kFull, 8, 4},  {kFull, 1, 64},  {kOuter, 8, 4},
                                 {kOuter, 4, 16}, {kGaps, 8, 8},  {kGaps, 2, 32}};

}  // namespace

TEST_CASE("the CuTe thread-value layout holds the elements of each thread") {
  for (const Case& c : kConversions) {
    CAPTURE(c.text);
    const NestedLayout nested = parse_nested_layout(c.text);
    const Extents shape = vector_shape(nested);
    const Layout owner = thread_value_layout(nested, c.subgroup_size, c.subgroups);
    REQUIRE(rank(owner) == 2);
    const int64_t threads = c.subgroup_size * c.subgroups;
    CHECK(size(mode(owner, 0)) == threads);
    CHECK(size(mode(owner, 1)) == volume(distributed_shape(nested)));
    for (int64_t thread = 0; thread < threads; ++thread) {
      int64_t value = 0;
      for (const Extents& element : elements_of_thread(nested, thread, c.subgroup_size)) {
        int64_t index = 0;
        for (size_t d = shape.size(); d-- > 0;) index = index * shape[d] + element[d];
        REQUIRE(offset_at(owner, thread + threads * value++) == index);
      }
    }
  }
}

TEST_CASE("the linear layout over registers, lanes and warps holds the same elements") {
  for (const Case& c : kConversions) {
    CAPTURE(c.text);
    const NestedLayout nested = parse_nested_layout(c.text);
    if (nested.thread_tile[0] == 5) {
      CHECK(contains(error_message_of([&] { linear_of(nested, c.subgroup_size, c.subgroups); }),
                     "not a power of two"));
      continue;
    }
    const LinearLayout linear = linear_of(nested, c.subgroup_size, c.subgroups);
    const int64_t values = volume(distributed_shape(nested));
    for (int64_t thread = 0; thread < c.subgroup_size * c.subgroups; ++thread) {
      int64_t value = 0;
      for (const Extents& element : elements_of_thread(nested, thread, c.subgroup_size)) {
        REQUIRE(apply(linear, value++ + values * thread) == element);
      }
    }
    CHECK(parse_triton(to_string(TritonLayout{linear, false})).linear == linear);
  }
}

TEST_CASE("the attribute is read inside MLIR text, also with older field names") {
  const NestedLayout layout = parse_nested_layout(kFull);
  const std::string attribute = to_string(layout);
  CHECK(parse_nested_layout("#layout = " + attribute) == layout);
  CHECK(parse_nested_layout("#iree_gpu.nested_layout" + attribute.substr(attribute.find('<'))) ==
        layout);
  CHECK(parse_nested_layout("%1 = iree_vector_ext.to_layout %0 to layout(" + attribute +
                            ") : vector<64x64xf16>") == layout);
  std::string old = attribute;
  old.replace(old.find("subgroup_tile"), 13, "subgroups_per_workgroup");
  old.replace(old.find("thread_tile"), 11, "threads_per_outer");
  CHECK(parse_nested_layout(old) == layout);
  CHECK(contains(error_message_of([&] { parse_nested_layout("#ttg.blocked<{order = [1]}>"); }),
                 "is not #iree_vector_ext.nested_layout"));
}

TEST_CASE("threads that end within a tile have no CuTe layout") {
  const NestedLayout nested = parse_nested_layout(kFull);
  CHECK(
      contains(error_message_of([&] { thread_value_layout(nested, 24, 2); }), "end within a tile"));
  CHECK(contains(error_message_of([&] { thread_value_layout(nested, 24, 8); }),
                 "their accesses cannot be counted"));
  std::string text = kFull;
  text.replace(text.find("thread_strides = [1, 16]"), 24, "thread_strides = [1, 24]");
  CHECK(
      contains(error_message_of([&] { parse_nested_layout(text); }), "strides that form no basis"));
}
