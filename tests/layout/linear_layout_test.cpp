#include "layout/algebra/linear_layout.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "layout/text/layout_expression.hpp"
#include "support/error_message.hpp"
#include "support/layout_oracle.hpp"

using namespace tilewright;

namespace {

std::string why_not_linear(const char* text) {
  return testing::error_message_of([&] { linear_of(parse_layout(text)); });
}

// A layout with power-of-two extents that set disjoint bits, with or without a swizzle.
ComposedLayout random_linear(LayoutMaker& make) {
  std::vector<IntTuple> extents;
  std::vector<IntTuple> strides;
  int64_t next = 1;
  for (int64_t i = 1 + make.below(4); i > 0; --i) {
    const int64_t extent = int64_t{2} << make.below(3);
    const size_t at = static_cast<size_t>(make.below(static_cast<uint32_t>(extents.size()) + 1));
    extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(at), extent);
    strides.insert(strides.begin() + static_cast<std::ptrdiff_t>(at), next);
    next *= extent << (make.below(5) == 0 ? 1 : 0);
  }
  std::optional<Swizzle> swizzle;
  if (make.below(2) == 0) swizzle = make.swizzle();
  return make_composed(swizzle, 0, make_layout(IntTuple(extents), IntTuple(strides)));
}

}  // namespace

TEST_CASE("a layout and its matrix are one function, both ways") {
  LayoutMaker make(12);
  for (int i = 0; i < 5000; ++i) {
    const ComposedLayout c = random_linear(make);
    CAPTURE(to_string(c));
    const std::vector<int64_t> offsets = oracle_offsets(c);
    const LinearLayout linear = linear_of(c);
    for (size_t j = 0; j < offsets.size(); ++j) {
      REQUIRE(apply(linear, static_cast<int64_t>(j)) == std::vector<int64_t>{offsets[j]});
    }
    REQUIRE(oracle_offsets(layout_of(linear)) == offsets);
  }
}

TEST_CASE("an inverse undoes its linear layout") {
  const ComposedLayout c = parse_layout("Sw<3,3,3> o 0 o (8,64):(64,1)");
  const LinearLayout inverse = invert(linear_of(c));
  REQUIRE(inverse.outputs.size() == 2);
  CHECK(inverse.outputs[0].size == 8);
  CHECK(inverse.outputs[1].size == 64);
  for (int64_t offset = 0; offset < 512; ++offset) {
    const std::vector<int64_t> coord = apply(inverse, offset);
    CHECK(offset_at(c, coord[0] + 8 * coord[1]) == offset);
  }
  CHECK_THROWS_AS(invert(linear_of(parse_layout("(4,4):(1,8)"))), Error);
  CHECK_THROWS_AS(invert(linear_of(parse_layout("(4,4):(1,0)"))), Error);
}

TEST_CASE("a layout that is not linear is refused with the reason") {
  CHECK(why_not_linear("(6,2)").find("mode 6:1 is not a power of two") != std::string::npos);
  CHECK(why_not_linear("(8,4):(1,4)").find("the offset of index 12 is 8") != std::string::npos);
  CHECK(why_not_linear("Sw<2,0,2> o 1 o 4:4").find("the offset of coordinate 0 is 1") !=
        std::string::npos);
  CHECK(why_not_linear("4:-1").find("negative") != std::string::npos);
}

TEST_CASE("a matrix that no single swizzle makes is no CuTe layout") {
  // Bit 2 of the input changes bits 0 and 1.
  const LinearLayout two{{{"dim0", {{1}, {2}, {7}}}}, {{"offset", 8}}};
  CHECK_THROWS_AS(layout_of(two), Error);
  const LinearLayout one{{{"dim0", {{1}, {2}, {5}}}}, {{"offset", 8}}};
  CHECK(to_string(layout_of(one)) == "Sw<1,0,2> o 0 o 8:1");
}

TEST_CASE("the matrix as text") {
  CHECK(matrix_text(linear_of(parse_layout("Sw<1,0,2> o (2,4):(4,1)"))) ==
        "   2  1 ..\n   1  . .1\n   0  1 1.\n");
}
