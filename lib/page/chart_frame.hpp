// The frame of a page's charts: a title above an area with ticks on two sides.
#pragma once

#include <string>
#include <vector>

#include "draw/scene.hpp"

namespace tilewright {

/// Font size of the numbers and names beside a chart's area.
inline constexpr double kChartText = 12;

/// A chart of width x height; its area for values reaches from `begin` (top left) to `end`.
struct ChartFrame {
  double width = 0;
  double height = 0;
  Point begin = {};
  Point end = {};
};

/// Adds a line across the area at `y` with its number on the left.
void add_row_tick(const ChartFrame& frame, double y, const std::string& text,
                  std::vector<SceneItem>& items);

/// Adds a line down the area at `x` with its number below.
void add_column_tick(const ChartFrame& frame, double x, const std::string& text,
                     std::vector<SceneItem>& items);

/// A chart of the items, with the title above them.
Scene chart_scene(const ChartFrame& frame, const std::string& title, std::vector<SceneItem> items);

}  // namespace tilewright
