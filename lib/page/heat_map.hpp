// Times over tile and raster, or any two keys: a table of cells whose colour is the time.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "draw/scene.hpp"

namespace tilewright {

/// Rows and columns that a picture holds, those with the least times.
inline constexpr size_t kMostHeatRows = 12;
inline constexpr size_t kMostHeatColumns = 10;

/// The least microseconds of each pair that has any, by (row, column).
struct HeatMap {
  std::string title;
  std::string row_name;
  std::string column_name;
  std::map<std::pair<std::string, std::string>, double> us = {};

  /// Keeps the lesser of two times of a pair.
  void add(const std::string& row, const std::string& column, double time_us);
};

/// Columns by their best time, and rows by their best one in these; a cell without a time stays
/// empty. The map has a time.
Scene draw_heat_map(const HeatMap& map);

}  // namespace tilewright
