#include "stats/line_fit.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "stats/random.hpp"

namespace tilewright {
namespace {

double squares(const std::vector<double>& x, const std::vector<double>& y, double intercept,
               double slope) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += std::pow(y[i] - intercept - slope * x[i], 2);
  return sum;
}

TEST_CASE("points on a line give the line and no residual") {
  const LineFit fit =
      fit_line(std::vector<double>{256, 512, 4096},
               std::vector<double>{3 + 256 * 0.01, 3 + 512 * 0.01, 3 + 4096 * 0.01});
  CHECK(fit.intercept == doctest::Approx(3));
  CHECK(fit.slope == doctest::Approx(0.01));
  CHECK(fit.worst_residual < 1e-9);
}

TEST_CASE("no line near the fit has a lesser sum of squares") {
  Random random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> x;
    std::vector<double> y;
    for (int i = 0; i < 9; ++i) {
      x.push_back(random.uniform() * 10);
      y.push_back(2 - x.back() + random.uniform());
    }
    const LineFit fit = fit_line(x, y);
    const double least = squares(x, y, fit.intercept, fit.slope);
    CHECK(fit.rms_residual == doctest::Approx(std::sqrt(least / 9)));
    CHECK(fit.worst_residual >= fit.rms_residual);
    for (const double step : {-0.01, 0.01}) {
      CHECK(squares(x, y, fit.intercept + step, fit.slope) > least);
      CHECK(squares(x, y, fit.intercept, fit.slope + step) > least);
    }
  }
}

TEST_CASE("points with one x have no line") {
  CHECK(std::isnan(fit_line(std::vector<double>{2, 2}, std::vector<double>{1, 3}).slope));
  CHECK(std::isnan(fit_line({}, {}).intercept));
}

}  // namespace
}  // namespace tilewright
