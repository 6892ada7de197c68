// Least squares: a line through points, and their distances from it.
#pragma once

#include <cstddef>
#include <span>

namespace tilewright {

/// y = intercept + slope * x; residuals in the unit of y.
struct LineFit {
  double intercept = 0;
  double slope = 0;
  double rms_residual = 0;
  double worst_residual = 0;  // largest absolute value
  bool operator==(const LineFit&) const = default;
};

/// The line with the least sum of squared residuals; x and y have the same length. All NaN with
/// fewer than two different x.
LineFit fit_line(std::span<const double> x, std::span<const double> y);

/// The x where a curve leaves its upper level: y falls to `share` of the way up from its last value
/// to its largest, linear between points. The last x where it never falls; NaN for an empty curve.
/// x ascends.
double knee(std::span<const double> x, std::span<const double> y, double share);

/// Two groups of values, each by its median.
struct TwoLevels {
  double low = 0;
  double high = 0;
  size_t low_count = 0;
  bool operator==(const TwoLevels&) const = default;
};

/// Cuts the sorted values where the sum of squares within both groups is least. With fewer than two
/// different values both levels are the median. NaN for no values.
TwoLevels two_levels(std::span<const double> values);

}  // namespace tilewright
