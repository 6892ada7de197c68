// What the charts of a page have in common: a title above an area with ticks on two sides.
#pragma once

#include <string>
#include <vector>

#include "draw/scene.hpp"

namespace tilewright {

/// Of numbers and names beside a chart's area.
inline constexpr double kChartText = 12;

/// A chart of width x height; values lie between the area's top left and its bottom right.
struct ChartFrame {
  double width = 0;
  double height = 0;
  Point begin = {};
  Point end = {};
};

/// A line across the area at `y` with its number on the left.
void add_row_tick(const ChartFrame& frame, double y, const std::string& text,
                  std::vector<SceneItem>& items);

/// A line down the area at `x` with its number below.
void add_column_tick(const ChartFrame& frame, double x, const std::string& text,
                     std::vector<SceneItem>& items);

/// The title stands above the items.
Scene chart_scene(const ChartFrame& frame, const std::string& title, std::vector<SceneItem> items);

}  // namespace tilewright
