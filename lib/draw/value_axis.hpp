// Chooses the values that a chart labels along its axis: finite, rising and few, whatever the data.
#pragma once

#include <string>
#include <vector>

#include "draw/scene.hpp"

namespace tilewright {

/// `at` ascends; all values of the chart lie between its first and last entry.
struct ValueAxis {
  std::vector<double> at = {0, 1};
  bool by_powers = false;  // logarithmic
  /// Position of a value on the axis, from 0 to 1; the nearer end for values beyond.
  double fraction(double value) const;
};

/// Round steps from zero, or from near the least value where the values differ by little.
ValueAxis even_axis(double least, double most);

/// 1, 2 and 5 times powers of ten, or only powers of ten where those are many; `least` > 0.
ValueAxis power_axis(double least, double most);

/// The multiples of `step` in [low, high]; none where double precision does not separate them.
std::vector<double> multiples_in(double low, double high, double step);

/// Values of a logarithmic scale in [low, high], from 1e-300 to 1e300: powers of ten, and 2 and 5
/// times them where the range is short.
std::vector<double> powers_in(double low, double high);

/// A label at an axis: muted numbers, or a bold name in the colour of ink.
LabelItem axis_label(const std::string& role, Point at, const std::string& text, Anchor anchor,
                     double size, bool bold = false);

}  // namespace tilewright
