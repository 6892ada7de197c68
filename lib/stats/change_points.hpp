// Where the level of a series changed, and when that could be known.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tilewright {

/// The level from value `at` on differs from the one before it.
struct ChangePoint {
  size_t at = 0;        // the first value of the new level
  size_t known_by = 0;  // the value with which it was found
  double before = 0;    // mean of the level before, and of the new one as far as it goes
  double after = 0;
  bool operator==(const ChangePoint&) const = default;
};

/// Finds steps and drifts. With every value the series since the last change is divided at the
/// place that separates two means best; a change is one whose means differ by more than chance lets
/// them in a few hundred values. The spread of a level is taken from the differences of neighbours,
/// which a step moves by one value; it is at least `resolution`, in the values' unit. Fewer than 6
/// values say nothing, and one or two outliers are no level. Later values move the place of a
/// change, never whether it was found. Values are finite.
std::vector<ChangePoint> change_points(std::span<const double> series, double resolution);

}  // namespace tilewright
