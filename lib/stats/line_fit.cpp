#include "stats/line_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tilewright {

LineFit fit_line(std::span<const double> x, std::span<const double> y) {
  const auto count = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / count;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / count;
  double xx = 0;
  double xy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  if (!(xx > 0)) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    return {kNone, kNone, kNone, kNone};
  }
  LineFit fit;
  fit.slope = xy / xx;
  fit.intercept = mean_y - fit.slope * mean_x;
  double squares = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double residual = std::abs(y[i] - fit.intercept - fit.slope * x[i]);
    squares += residual * residual;
    fit.worst_residual = std::max(fit.worst_residual, residual);
  }
  fit.rms_residual = std::sqrt(squares / count);
  return fit;
}

}  // namespace tilewright
