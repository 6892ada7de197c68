// Finds where the level of a series changed, and with which value that became certain.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tilewright {

/// The level from value `at` on differs from the one before it.
struct ChangePoint {
  size_t at = 0;           // the first value of the new level
  size_t detected_at = 0;  // the value with which the change was found
  double before = 0;       // means of the level before and of the new one, up to the next change
  double after = 0;
  bool operator==(const ChangePoint&) const = default;
};

/// Finds steps and drifts. With every new value, the series since the last change is divided at the
/// place that best separates two means. It is a change where the means differ by more than chance
/// would make them in a few hundred values. The spread of a level is estimated from differences of
/// neighbours, of which a step changes only one; it is at least `resolution`, in the values' unit.
/// Fewer than 10 values have no change, and one or two outliers are no level. Later values may move
/// a change, but never add or remove one. Values are finite.
std::vector<ChangePoint> change_points(std::span<const double> series, double resolution);

}  // namespace tilewright
