#include "draw/value_axis.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

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

// Values from the least that a double holds to the most, on both sides of 0.
const std::vector<double> kExtremes = {-1.7e308, -1e300,     -5,    -1e-300, -5e-324,   0,
                                       5e-324,   1e-300,     1e-12, 1,       1 + 1e-15, 2,
                                       1e18,     1e18 + 128, 1e300, 1.7e308};

void check_finite_and_rising(const std::vector<double>& at, size_t most) {
  CHECK(at.size() <= most);
  for (size_t i = 0; i < at.size(); ++i) {
    CHECK(std::isfinite(at[i]));
    if (i > 0) CHECK(at[i] > at[i - 1]);
  }
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

TEST_CASE("an axis of any values has two to 24 finite, rising ticks, and places them inside") {
  for (const double least : kExtremes) {
    for (const double most : kExtremes) {
      if (most < least) continue;
      CAPTURE(least);
      CAPTURE(most);
      std::vector<ValueAxis> axes = {even_axis(least, most)};
      if (least > 0) axes.push_back(power_axis(least, most));
      for (const ValueAxis& axis : axes) {
        CHECK(axis.at.size() >= 2);
        check_finite_and_rising(axis.at, 24);
        const double low = axis.fraction(least);
        const double high = axis.fraction(most);
        CHECK((0 <= low && low <= high && high <= 1));
      }
    }
  }
}

TEST_CASE("ticks inside a range are few, finite, rising and inside, whatever the range") {
  for (const double low : kExtremes) {
    for (const double high : kExtremes) {
      if (high < low) continue;
      CAPTURE(low);
      CAPTURE(high);
      for (const double step : {5e-324, 1e-300, 0.2, 1.0, 1e17, 1e300}) {
        const std::vector<double> at = multiples_in(low, high, step);
        check_finite_and_rising(at, 64);
        for (const double tick : at) {
          CHECK(tick >= low - 1e-8 * step - 1e-8 * std::abs(low));
          CHECK(tick <= high + 1e-8 * step + 1e-8 * std::abs(high));
        }
      }
      if (low < 1e-300 || low > 1e300) continue;
      const std::vector<double> at = powers_in(low, high);
      check_finite_and_rising(at, 14);
      for (const double tick : at) CHECK((tick >= low && tick <= high));
    }
  }
  CHECK(multiples_in(0.9, 3.1, 1) == std::vector<double>{1, 2, 3});
  CHECK(powers_in(0.9, 30) == std::vector<double>{1, 2, 5, 10, 20});
  CHECK(powers_in(0.9, 900) == std::vector<double>{1, 10, 100});
}
