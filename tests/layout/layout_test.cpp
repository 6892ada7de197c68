#include "layout/algebra/layout.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "stats/random.hpp"

using namespace tilewright;

TEST_CASE("the coshape of a coordinate layout is one more than its largest coordinates") {
  Random random(8);
  for (int round = 0; round < 300; ++round) {
    const size_t dimensions = 1 + random.below(3);
    std::vector<IntTuple> shape;
    std::vector<IntTuple> stride;
    for (uint32_t i = 0; i < 1 + random.below(4); ++i) {
      shape.emplace_back(1 + random.below(6));
      stride.push_back(IntTuple::scaled_basis(
          random.below(9), {static_cast<int>(random.below(static_cast<uint32_t>(dimensions)))}));
    }
    const Layout layout = make_layout(IntTuple(shape), IntTuple(stride));
    CAPTURE(to_string(layout));
    std::vector<int64_t> most;
    for (int64_t i = 0; i < size(layout); ++i) {
      const IntTuple value = value_at(layout, i);
      REQUIRE(value.is_tuple());
      most.resize(std::max(most.size(), value.rank()));
      for (size_t d = 0; d < value.rank(); ++d) most[d] = std::max(most[d], value[d].value());
    }
    std::vector<IntTuple> expected;
    for (const int64_t one : most) expected.emplace_back(one + 1);
    CHECK(coshape(layout) == IntTuple(expected));
  }
}

TEST_CASE("the coshape of offsets is the cosize") {
  for (const int64_t stride : {-3, 0, 1, 7}) {
    const Layout layout = make_layout(IntTuple({4, 5}), IntTuple({stride, 9}));
    CHECK(coshape(layout) == IntTuple(cosize(layout)));
  }
}
