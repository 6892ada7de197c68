#include "layout/algebra/int_tuple.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "base/error.hpp"
#include "layout/text/layout_expression.hpp"

using namespace tilewright;

namespace {

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();

IntTuple tuple(const char* text) {
  return parse_int_tuple(text);
}

}  // namespace

TEST_CASE("arithmetic that does not fit in 64 bits is an error") {
  CHECK(checked_add(kLargest - 1, 1) == kLargest);
  CHECK_THROWS_AS(checked_add(kLargest, 1), Error);
  CHECK(checked_mul(int64_t{1} << 31, int64_t{1} << 31) == int64_t{1} << 62);
  CHECK_THROWS_AS(checked_mul(int64_t{1} << 32, int64_t{1} << 31), Error);
  CHECK(checked_abs(-7) == 7);
  CHECK_THROWS_AS(checked_abs(kSmallest), Error);
}

TEST_CASE("nesting, leaves and products") {
  CHECK(depth(tuple("8")) == 0);
  CHECK(depth(tuple("(8,64)")) == 1);
  CHECK(depth(tuple("((2,(4)),3)")) == 3);
  CHECK(product(tuple("((2,4),(3,5))")) == 120);
  CHECK(leaf_count(tuple("((2,4),(3,5))")) == 4);
  CHECK(product_each(tuple("((2,4),3)")) == tuple("(8,3)"));
  CHECK(congruent(tuple("((2,4),3)"), tuple("((0,1),9)")));
  CHECK_FALSE(congruent(tuple("((2,4),3)"), tuple("(8,3)")));
  CHECK_FALSE(congruent(tuple("(8)"), tuple("8")));
  CHECK(tuple("8").rank() == 1);
}

TEST_CASE("dividing a tuple by an integer divides mode after mode") {
  CHECK(ceil_div(tuple("(10,6)"), 4) == tuple("(3,6)"));
  CHECK(ceil_div(tuple("(4,6)"), 8) == tuple("(1,3)"));
  CHECK(ceil_div(tuple("(10,6)"), tuple("(4)")) == tuple("(3,6)"));
  CHECK(ceil_div(tuple("10"), tuple("(2,2)")) == tuple("3"));
}

TEST_CASE("basis vectors print innermost mode first") {
  const IntTuple basis = IntTuple::scaled_basis(3, {0, 1});
  CHECK(to_string(basis) == "3@1@0");
  CHECK(tuple("3@1@0") == basis);
  CHECK(has_basis(tuple("(1,3@1@0)")));
  CHECK_FALSE(has_basis(tuple("(1,3)")));
}
