// The time axis that charts below each other share.
#pragma once

#include <string>
#include <vector>

#include "draw/scene.hpp"

namespace tilewright {

/// Times from `begin_us` to `end_us` over `width` pixels from `left` on.
struct TimeAxis {
  double left = 0;
  double width = 0;
  double begin_us = 0;
  double end_us = 0;
  std::string unit = "us";
  double scale() const;  // pixels of a microsecond
  double x_of(double us) const { return left + (us - begin_us) * scale(); }
};

/// Space below a chart for the numbers of its axis, pixels.
inline constexpr double kBelowBars = 34;

/// The times that have a line, and a number where it fits.
std::vector<double> ticks_of(const TimeAxis& axis);

/// Lines at all ticks from `top` to `bottom`.
std::vector<SceneItem> tick_lines(const TimeAxis& axis, double top, double bottom);

/// The numbers below `bottom`; the axis ends with its unit.
std::vector<SceneItem> axis_numbers(const TimeAxis& axis, double bottom);

}  // namespace tilewright
