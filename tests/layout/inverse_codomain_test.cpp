#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "layout/algebra/inverse.hpp"
#include "layout/algebra/layout_evaluator.hpp"
#include "layout/text/layout_expression.hpp"
#include "support/layout_oracle.hpp"

using namespace tilewright;

TEST_CASE("evaluator, injectivity and footprint agree with brute force") {
  LayoutMaker make(9);
  for (int i = 0; i < 10000; ++i) {
    const ComposedLayout c = make.composed();
    const std::vector<int64_t> offsets = oracle_offsets(c);
    CAPTURE(to_string(c));
    const LayoutEvaluator evaluate(c);
    std::vector<int64_t> filled(offsets.size());
    evaluate.fill(0, filled);
    REQUIRE(filled == offsets);
    for (size_t j = 0; j < offsets.size(); j += 3) {
      REQUIRE(evaluate(static_cast<int64_t>(j)) == offsets[j]);
      REQUIRE(offset_at(c, static_cast<int64_t>(j)) == offsets[j]);
      const IntTuple coord = coordinate_at(c.layout.shape, static_cast<int64_t>(j));
      REQUIRE(offset_at(c, coord) == offsets[j]);
      REQUIRE(index_at(c.layout.shape, coord) == static_cast<int64_t>(j));
    }
    const std::set<int64_t> distinct(offsets.begin(), offsets.end());
    REQUIRE(is_injective(c) == (distinct.size() == offsets.size()));
    REQUIRE(offset_range(c) == OffsetRange{*distinct.begin(), *distinct.rbegin()});
  }
}

TEST_CASE("the evaluator may start at any index") {
  const LayoutEvaluator evaluate(parse_layout("Sw<2,1,3> o 0 o ((3,4),(5,2)):((4,12),(1,60))"));
  std::vector<int64_t> all(static_cast<size_t>(evaluate.size()));
  evaluate.fill(0, all);
  for (size_t first = 0; first < all.size(); ++first) {
    std::vector<int64_t> part(std::min<size_t>(all.size() - first, 17));
    evaluate.fill(static_cast<int64_t>(first), part);
    CHECK(std::equal(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(first)));
  }
}

TEST_CASE("cosize ignores the swizzle, the footprint does not") {
  const ComposedLayout c = parse_layout("Sw<3,0,3> o 0 o 8:8");
  CHECK(cosize(c.layout) == 57);
  CHECK(footprint(c) == 64);
  CHECK(footprint(parse_layout("4:-1")) == 4);
  CHECK(cosize(parse_layout("4:-1").layout) == 4);
  CHECK(footprint(parse_layout("Sw<2,0,3> o 8 o 4:1")) == 12);
}

TEST_CASE("injectivity and footprint of huge layouts need no listing") {
  const ComposedLayout big = parse_layout("Sw<3,3,3> o 0 o (1048576,1048576):(1048576,1)");
  CHECK(is_injective(big) == true);
  CHECK(footprint(big) == int64_t{1} << 40);
  CHECK(is_injective(parse_layout("(1048576,1048576):(1048575,1)")) == false);
  CHECK(is_injective(parse_layout("(1000003,1000003):(1000003,1000004)")) == true);
  CHECK(is_injective(parse_layout("(1000005,1000004):(1000003,1000004)")) == false);
}

TEST_CASE("a layout of coordinates is injective where every axis is") {
  CHECK(is_injective(parse_layout("(8,4):(1@0,1@1)")) == true);
  CHECK(is_injective(parse_layout("(8,4):(1@0,1@0)")) == false);
  CHECK_FALSE(footprint(parse_layout("(8,4):(1@0,1@1)")).has_value());
}
