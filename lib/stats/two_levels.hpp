// Measurements that have two levels: a curve that falls from one to the other, values that belong
// to one or the other.
#pragma once

#include <cstddef>
#include <span>

namespace tilewright {

/// Where a curve leaves its upper level: the x at which y falls to `share` of the way up from its
/// last value to its largest, linear between points; the last x when it never falls. x ascends; NaN
/// for an empty curve.
double knee(std::span<const double> x, std::span<const double> y, double share);

/// Two groups of values, by their medians.
struct TwoLevels {
  double low = 0;
  double high = 0;
  size_t low_count = 0;
  bool operator==(const TwoLevels&) const = default;
};

/// Cuts the sorted values where the squares within both groups are least. With fewer than two
/// different values both levels are the median. NaN for no values.
TwoLevels two_levels(std::span<const double> values);

}  // namespace tilewright
