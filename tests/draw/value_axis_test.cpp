#include "draw/value_axis.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace tilewright;

namespace {

void check_axis(const ValueAxis& axis, double least, double most) {
  CAPTURE(least);
  CAPTURE(most);
  CHECK(axis.at.front() <= least);
  CHECK(axis.at.back() >= most);
  CHECK(axis.at.size() >= 2);
  CHECK(axis.at.size() <= 24);
  for (size_t i = 1; i < axis.at.size(); ++i) CHECK(axis.at[i] > axis.at[i - 1]);
  CHECK(axis.fraction(axis.at.front()) == doctest::Approx(0));
  CHECK(axis.fraction(axis.at.back()) == doctest::Approx(1));
}

}  // namespace

TEST_CASE("the values of an axis lie between its ends, at rising positions") {
  for (const double least : {1e-6, 0.3, 1.0, 7.0, 13.51, 99.9, 4e8}) {
    for (const double times : {1.0, 1.01, 2.0, 19.0, 28.0, 1e4, 1e9}) {
      check_axis(even_axis(least, least * times), least, least * times);
      if (times > 1) check_axis(power_axis(least, least * times), least, least * times);
    }
  }
}

TEST_CASE("equal lengths of a logarithmic axis are equal ratios; marks at 1, 2, 5 or at tens") {
  const ValueAxis axis = power_axis(13.5, 368);
  CHECK(axis.at == std::vector<double>{10, 20, 50, 100, 200, 500});
  CHECK(axis.fraction(40) - axis.fraction(20) ==
        doctest::Approx(axis.fraction(200) - axis.fraction(100)));
  const ValueAxis wide = power_axis(0.02, 9e5);
  for (size_t i = 1; i < wide.at.size(); ++i) {
    CHECK(wide.at[i] / wide.at[i - 1] == doctest::Approx(10));
  }
}

TEST_CASE("the axis covers only the range of values that differ little; else it starts at 0") {
  CHECK(even_axis(0.95, 1.04).at.front() > 0.8);
  CHECK(even_axis(13, 368).at.front() == 0);
}
