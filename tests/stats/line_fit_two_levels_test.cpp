#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/line_fit.hpp"
#include "stats/random.hpp"

namespace tilewright {
namespace {

double scatter(const std::vector<double>& values, size_t begin, size_t end) {
  double mean = 0;
  for (size_t i = begin; i < end; ++i) mean += values[i] / static_cast<double>(end - begin);
  double sum = 0;
  for (size_t i = begin; i < end; ++i) sum += std::pow(values[i] - mean, 2);
  return sum;
}

TEST_CASE("the cut has the least sum of squares of all cuts") {
  Random random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> values;
    for (int i = 0; i < 40; ++i) {
      values.push_back((i % 3 == 0 ? 260 : 200) + 100 * random.uniform());
    }
    const TwoLevels levels = two_levels(values);
    std::sort(values.begin(), values.end());
    const auto cost = [&](size_t cut) {
      return scatter(values, 0, cut) + scatter(values, cut, values.size());
    };
    for (size_t cut = 1; cut < values.size(); ++cut) {
      CHECK(cost(levels.low_count) <= doctest::Approx(cost(cut)));
    }
    CHECK(levels.low < levels.high);
  }
}

TEST_CASE("two levels are separated; one level stays one") {
  const TwoLevels levels = two_levels(std::vector<double>{201, 260, 199, 200, 261, 259});
  CHECK(levels == TwoLevels{200, 260, 3});
  CHECK(two_levels(std::vector<double>{5, 5, 5}) == TwoLevels{5, 5, 3});
  CHECK(std::isnan(two_levels({}).low));
}

TEST_CASE("a knee is where the curve falls by a given share of the way between its levels") {
  const std::vector<double> x = {10, 20, 30, 40, 50};
  CHECK(knee(x, std::vector<double>{8, 8, 8, 4, 4}, 0.5) == doctest::Approx(35));
  CHECK(knee(x, std::vector<double>{8, 8, 7, 3, 2}, 0.5) == doctest::Approx(35));
  CHECK(knee(x, std::vector<double>{8, 8, 8, 4, 4}, 0.75) == doctest::Approx(32.5));
  // A first point below the plateau is a start-up, not a knee.
  CHECK(knee(x, std::vector<double>{5, 8, 8, 4, 4}, 0.5) == doctest::Approx(35));
  CHECK(knee(x, std::vector<double>{8, 8, 8, 8, 8}, 0.5) == 50);
  CHECK(std::isnan(knee({}, {}, 0.5)));
}

}  // namespace
}  // namespace tilewright
