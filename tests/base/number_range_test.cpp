#include "base/number_range.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

namespace tilewright {
namespace {

constexpr NumberRange kAll[] = {
    NumberRange::Any,     NumberRange::Positive, NumberRange::NotNegative, NumberRange::BelowOne,
    NumberRange::UpToOne, NumberRange::Share,    NumberRange::OneOrTwo,    NumberRange::UpTo1024};

// Which of the values a range holds, one letter each.
std::string held(NumberRange range) {
  std::string text;
  for (const double value : {-1e300, -1.0, -5e-324, 0.0, 5e-324, 0.5, 1.0, 1.5, 2.0, 1e300}) {
    text += holds(range, value) ? 'x' : '.';
  }
  return text;
}

TEST_CASE("a range holds the numbers between its ends, and never an infinity or NaN") {
  CHECK(held(NumberRange::Any) == "xxxxxxxxxx");
  CHECK(held(NumberRange::Positive) == "....xxxxxx");
  CHECK(held(NumberRange::NotNegative) == "...xxxxxxx");
  CHECK(held(NumberRange::BelowOne) == "...xxx....");
  CHECK(held(NumberRange::UpToOne) == "....xxx...");
  CHECK(held(NumberRange::Share) == "...xxxx...");
  CHECK(held(NumberRange::OneOrTwo) == "......x.x.");
  CHECK(held(NumberRange::UpTo1024) == "....xxxxx.");
  using Limits = std::numeric_limits<double>;
  for (const NumberRange range : kAll) {
    for (const double none : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
      CHECK(!holds(range, none));
    }
    CHECK(!range_words(range).empty());
  }
}

}  // namespace
}  // namespace tilewright
