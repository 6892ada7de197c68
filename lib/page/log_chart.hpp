// Points on two logarithmic axes: predicted against measured times, and a roofline.
#pragma once

#include <string>
#include <vector>

#include "draw/scene.hpp"

namespace tilewright {

/// Points that one chart draws; of more, those that lie evenly in their order.
inline constexpr size_t kMostChartPoints = 150;

/// A disc, or a square where `is_square`. Coordinates are above 0.
struct ChartPoint {
  double x = 0;
  double y = 0;
  bool is_square = false;
  std::string text = {};  // shown when it is pointed at
};

/// Straight on logarithmic axes.
struct ChartLine {
  std::vector<Point> points;  // in the axes' units
  bool is_strong = false;
  std::string text = {};  // at the last point
};

struct LogChart {
  std::string title;
  std::string x_name;  // with its unit
  std::string y_name;
  std::vector<ChartPoint> points = {};
  std::vector<ChartLine> lines = {};
  std::string disc_name = {};  // of the legend; empty: none
  std::string square_name = {};
};

/// Predicted against measured times without a point, with the line where both are equal.
LogChart predicted_chart();

/// The axes reach from the least to the most of the points; lines are cut there.
Scene draw_log_chart(const LogChart& chart);

/// "12 of 400 points are drawn": what a caption adds; empty where all are.
std::string points_note(size_t points);

}  // namespace tilewright
