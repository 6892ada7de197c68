// A table of times over tile and raster, or any two keys; the colour of a cell is its time.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "draw/scene.hpp"

namespace tilewright {

/// Most rows and columns of a picture, which shows the ones with the least times.
inline constexpr size_t kMaxHeatRows = 12;
inline constexpr size_t kMaxHeatColumns = 10;

/// The least time in microseconds of each measured pair (row, column).
struct HeatMap {
  std::string title;
  std::string row_name;
  std::string column_name;
  std::map<std::pair<std::string, std::string>, double> us = {};

  /// Adds a time, if it is positive and finite; the pair keeps its least one.
  void add(const std::string& row, const std::string& column, double time_us);
};

/// Columns are ordered by their best time, rows by their best time in the columns shown. A cell
/// without a time stays empty. The map must hold a time.
Scene draw_heat_map(const HeatMap& map);

}  // namespace tilewright
