// The values that a chart names along its axis.
#pragma once

#include <vector>

namespace tilewright {

/// `at` rises; the values of the chart lie between its first and its last.
struct ValueAxis {
  std::vector<double> at = {0, 1};
  bool by_powers = false;  // equal lengths are equal ratios
  /// Where a value lies, from 0 to 1.
  double share(double value) const;
};

/// Round steps, from zero unless the values differ by little: then what differs is shown.
ValueAxis even_axis(double least, double most);

/// 1, 2 and 5 of each ten, or the tens alone where those are many; `least` > 0.
ValueAxis power_axis(double least, double most);

}  // namespace tilewright
