#include "stats/line_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "stats/sample.hpp"

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

namespace {

struct Sums {
  double values = 0;
  double squares = 0;
  double count = 0;
  void add(double v) {
    values += v;
    squares += v * v;
    ++count;
  }
  double scatter() const { return squares - values * values / count; }
};

}  // namespace

double knee(std::span<const double> x, std::span<const double> y, double share) {
  if (x.empty()) return std::numeric_limits<double>::quiet_NaN();
  const size_t top = static_cast<size_t>(std::max_element(y.begin(), y.end()) - y.begin());
  const double level = y.back() + share * (y[top] - y.back());
  for (size_t i = top + 1; i < y.size(); ++i) {
    if (y[i] > level || y[i - 1] == y[i]) continue;
    return x[i - 1] + (x[i] - x[i - 1]) * (y[i - 1] - level) / (y[i - 1] - y[i]);
  }
  return x.back();
}

TwoLevels two_levels(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty() || sorted.front() == sorted.back()) {
    return {median(sorted), median(sorted), sorted.size()};
  }
  // Relative to the median, so that squares of large values do not lose digits.
  const double origin = median(sorted);
  std::vector<double> below(sorted.size() + 1, 0);
  Sums low;
  for (size_t i = 0; i < sorted.size(); ++i) {
    low.add(sorted[i] - origin);
    below[i + 1] = low.scatter();
  }
  size_t cut = 1;
  double least = std::numeric_limits<double>::infinity();
  Sums high;
  for (size_t i = sorted.size() - 1; i > 0; --i) {
    high.add(sorted[i] - origin);
    const double scatter = below[i] + high.scatter();
    if (scatter < least) {
      least = scatter;
      cut = i;
    }
  }
  const std::span<const double> all(sorted);
  return {median(all.first(cut)), median(all.subspan(cut)), cut};
}

}  // namespace tilewright
