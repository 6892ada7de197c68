#include "serve/scale_array.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "serve/shipped_names.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::error_message_of;

// An array of f32 with these sizes and strides.
struct ScaleArray {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;

  Array array() const {
    Array made;
    made.ndim = static_cast<int32_t>(shape.size());
    made.type = {kDlpackFloat, 32, 1};
    made.shape = shape.data();
    made.strides = strides.data();
    return made;
  }
};

ScaleForms forms(const ScaledSizes& sizes, const ScaleArray& a, const ScaleArray& b) {
  const Array array_a = a.array();
  const Array array_b = b.array();
  return scale_forms(sizes, &array_a, &array_b);
}

constexpr ScaledSizes kSizes = {.m = 333, .n = 520, .k = 656};  // 6 and 5 blocks of 128

TEST_CASE("shapes and strides of scales give their form") {
  const ScaleArray rows{{333, 1}, {1, 1}};
  const ScaleArray columns{{1, 520}, {520, 1}};
  CHECK(forms(kSizes, rows, columns) == ScaleForms{SHIPPED_SCALE_LINE, SHIPPED_SCALE_LINE});
  CHECK(forms(kSizes, {{333, 6}, {6, 1}}, {{6, 5}, {1, 6}}) ==
        ScaleForms{SHIPPED_SCALE_1X128_K, SHIPPED_SCALE_128X128});
  CHECK(forms(kSizes, {{333, 6}, {1, 336}}, {{6, 5}, {1, 8}}) ==
        ScaleForms{SHIPPED_SCALE_1X128, SHIPPED_SCALE_128X128_K4});
  CHECK(forms(kSizes, {{333, 6}, {1, 336}}, {{6, 520}, {1, 6}}) ==
        ScaleForms{SHIPPED_SCALE_1X128, SHIPPED_SCALE_1X128_K});
  CHECK(forms(kSizes, {{333, 6}, {1, 336}}, {{6, 520}, {520, 1}}) ==
        ScaleForms{SHIPPED_SCALE_1X128, SHIPPED_SCALE_1X128});
  CHECK(forms(kSizes, {{}, {}}, {{1, 1}, {1, 1}}) == ScaleForms{});
  CHECK(scale_forms(kSizes, nullptr, nullptr) == ScaleForms{});
}

TEST_CASE("scales of groups have a dimension of groups in B") {
  const ScaledSizes sizes = {.m = 333, .n = 520, .k = 656, .groups = 3};
  const ScaleArray a{{333, 6}, {1, 336}};
  CHECK(forms(sizes, a, {{3, 6, 5}, {40, 1, 8}}).b == SHIPPED_SCALE_128X128_K4);
  CHECK(forms(sizes, a, {{3, 6, 5}, {30, 1, 6}}).b == SHIPPED_SCALE_128X128);
  CHECK(forms(sizes, {{333, 1}, {1, 1}}, {{3, 1, 520}, {520, 520, 1}}) ==
        ScaleForms{SHIPPED_SCALE_LINE, SHIPPED_SCALE_LINE});
  CHECK(contains(error_message_of([&] {
                   forms(sizes, a, {{2, 6, 5}, {40, 1, 8}});
                 }),
                 "scale_b is 6 x 5"));
}

TEST_CASE("a few sizes have one block, and a single row or column") {
  const ScaledSizes one_block = {.m = 4, .n = 256, .k = 128};
  CHECK(forms(one_block, {{4, 1}, {1, 1}}, {{1, 2}, {1, 1}}) ==
        ScaleForms{SHIPPED_SCALE_1X128, SHIPPED_SCALE_128X128});
  CHECK(forms(one_block, {{4, 1}, {1, 1}}, {{1, 256}, {256, 1}}) ==
        ScaleForms{SHIPPED_SCALE_LINE, SHIPPED_SCALE_LINE});
  const ScaledSizes one_row = {.m = 1, .n = 64, .k = 512};
  CHECK(forms(one_row, {{1, 4}, {4, 1}}, {{4, 1}, {1, 4}}) ==
        ScaleForms{SHIPPED_SCALE_1X128_K, SHIPPED_SCALE_128X128});
}

TEST_CASE("other scales are refused by the array's name") {
  const ScaleArray a{{333, 6}, {6, 1}};
  const ScaleArray b{{6, 5}, {1, 6}};
  const auto why = [](const ScaleArray& of_a, const ScaleArray& of_b) {
    return error_message_of([&] { forms(kSizes, of_a, of_b); });
  };
  REQUIRE(why(a, b) == "");
  CHECK(contains(why({{333, 5}, {5, 1}}, b), "scale_a is 333 x 5"));
  CHECK(contains(why({{333, 6}, {7, 1}}, b), "scale_a: its rows are 7 elements apart"));
  CHECK(contains(why({{333, 6}, {1, 333}}, b), "scale_a: its columns are 333 elements apart"));
  CHECK(contains(why(a, {{6, 5}, {5, 1}}), "scale_b is 6 x 5"));
  CHECK(contains(why(a, {{6, 5}, {1, 7}}), "scale_b: its columns are 7 elements apart"));
  CHECK(contains(why(a, {{5, 6}, {1, 5}}), "scale_b is 5 x 6"));
  CHECK(contains(why(a, {{}, {}}), "scale_b"));
  const Array only = a.array();
  CHECK(contains(error_message_of([&] { scale_forms(kSizes, &only, nullptr); }),
                 "scale_b is missing"));
}

}  // namespace
}  // namespace tilewright
