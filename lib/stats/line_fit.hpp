// Least squares: a line through points, and how far they lie from it.
#pragma once

#include <span>

namespace tilewright {

/// y = intercept + slope * x; residuals in the unit of y.
struct LineFit {
  double intercept = 0;
  double slope = 0;
  double rms_residual = 0;
  double worst_residual = 0;  // largest absolute one
  bool operator==(const LineFit&) const = default;
};

/// The line with the least sum of squares; x and y have the same length. All NaN with fewer than
/// two different x.
LineFit fit_line(std::span<const double> x, std::span<const double> y);

}  // namespace tilewright
