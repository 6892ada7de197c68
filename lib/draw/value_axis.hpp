// Chooses the values that a chart labels along its axis.
#pragma once

#include <vector>

namespace tilewright {

/// `at` ascends; all values of the chart lie between its first and last entry.
struct ValueAxis {
  std::vector<double> at = {0, 1};
  bool by_powers = false;  // logarithmic
  /// Position of a value on the axis, from 0 to 1.
  double fraction(double value) const;
};

/// Round steps from zero, or from near the least value where the values differ by little.
ValueAxis even_axis(double least, double most);

/// 1, 2 and 5 times powers of ten, or only powers of ten where those are many; `least` > 0.
ValueAxis power_axis(double least, double most);

}  // namespace tilewright
