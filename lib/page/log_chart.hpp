// Charts with two logarithmic axes: predicted against measured times, and a roofline.
#pragma once

#include <string>
#include <vector>

#include "draw/scene.hpp"

namespace tilewright {

/// Most points that a chart draws; from more, it takes evenly spaced ones in their order.
inline constexpr size_t kMaxChartPoints = 150;

/// A disc, or a square where `is_square`. Only points whose coordinates are positive and finite are
/// drawn.
struct ChartPoint {
  double x = 0;
  double y = 0;
  bool is_square = false;
  std::string text = {};  // tooltip
};

/// A line that is straight on logarithmic axes.
struct ChartLine {
  std::vector<Point> points;  // in the axes' units
  bool is_strong = false;
  std::string text = {};  // label at the last point
};

struct LogChart {
  std::string title;
  std::string x_name;  // with its unit
  std::string y_name;
  std::vector<ChartPoint> points = {};
  std::vector<ChartLine> lines = {};
  std::string disc_name = {};  // text in the legend; empty: no entry
  std::string square_name = {};
};

/// A chart of predicted over measured times, without points yet, with the line of equality.
LogChart predicted_chart();

/// The axes span the points; lines are cut off at the axes' ends.
Scene draw_log_chart(const LogChart& chart);

/// A caption's note such as "12 of 400 points are drawn"; empty where all are.
std::string points_note(size_t points);

}  // namespace tilewright
