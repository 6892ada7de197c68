#include "layout/algebra/layout_comparison.hpp"

#include <doctest/doctest.h>

#include "layout/text/layout_expression.hpp"
#include "support/layout_oracle.hpp"

using namespace tilewright;

namespace {

LayoutComparison compared(const char* a, const char* b) {
  return compare(parse_layout(a), parse_layout(b));
}

}  // namespace

TEST_CASE("the first difference is the one found by brute force") {
  LayoutMaker make(13);
  int differing = 0;
  for (int i = 0; i < 3000; ++i) {
    const ComposedLayout a = make.composed(64);
    const ComposedLayout b = make.composed(64);
    const std::vector<int64_t> x = oracle_offsets(a);
    const std::vector<int64_t> y = oracle_offsets(b);
    const LayoutComparison found = compare(a, b);
    REQUIRE(found.equal == (x == y));
    size_t at = 0;
    while (at < std::min(x.size(), y.size()) && x[at] == y[at]) ++at;
    REQUIRE(found.difference.has_value() == (at < std::min(x.size(), y.size())));
    if (!found.difference) continue;
    ++differing;
    REQUIRE(found.difference->index == static_cast<int64_t>(at));
    REQUIRE(found.difference->first == IntTuple(x[at]));
    REQUIRE(found.difference->second == IntTuple(y[at]));
    REQUIRE(index_at(a.layout.shape, found.difference->coordinate) == static_cast<int64_t>(at));
  }
  CHECK(differing > 500);
}

TEST_CASE("compared layouts may differ in shape, not in size") {
  CHECK(compared("(8,64):(64,1)", "((2,4),64):((64,128),1)").equal);
  const LayoutComparison longer = compared("8:1", "16:1");
  CHECK_FALSE(longer.equal);
  CHECK_FALSE(longer.difference.has_value());
  CHECK(longer.reason == "the sizes differ, 8 and 16; the common part is equal");
  CHECK(compared("Sw<3,3,3> o (8,64):(64,1)", "(8,64):(64,1)").reason ==
        "at (1,0) the first gives 72 and the second 64");
}

TEST_CASE("equal functions of any size compare without a walk, and so do coordinates") {
  CHECK(compared("(1048576,1048576)", "1099511627776:1").equal);
  CHECK(compared("(8,4):(1@0,1@1)", "(8,(2,2)):(1@0,(1@1,2@1))").equal);
  CHECK_FALSE(compared("(8,4):(1@0,1@1)", "(8,4):(1,8)").equal);
}
