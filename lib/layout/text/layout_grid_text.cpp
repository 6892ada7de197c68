#include "layout/text/layout_grid_text.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr int64_t kMostLines = 64;
constexpr int64_t kMostSlices = 16;

int64_t extent_of(const ComposedLayout& c, size_t i) {
  return i < rank(c.layout) ? size(mode(c.layout, i)) : 1;
}

std::string slice_text(const ComposedLayout& c, int64_t first) {
  const bool line = rank(c.layout) == 1;  // one mode runs across
  const int64_t rows = line ? 1 : extent_of(c, 0);
  const int64_t columns = line ? extent_of(c, 0) : extent_of(c, 1);
  const int64_t shown_rows = std::min(rows, kMostLines);
  const int64_t shown_columns = std::min(columns, kMostLines);
  std::vector<std::string> cells;
  size_t width = 1;
  for (int64_t row = 0; row < shown_rows; ++row) {
    for (int64_t column = 0; column < shown_columns; ++column) {
      cells.push_back(to_string(value_at(c, first + row + column * rows)));
      width = std::max(width, cells.back().size());
    }
  }
  std::string text;
  for (int64_t row = 0; row < shown_rows; ++row) {
    for (int64_t column = 0; column < shown_columns; ++column) {
      const std::string& cell = cells[static_cast<size_t>(row * shown_columns + column)];
      text += format("{}{:>{}}", column > 0 ? " " : "", cell, width);
    }
    text += columns > shown_columns ? " ...\n" : "\n";
  }
  if (rows > shown_rows || columns > shown_columns) {
    text += format("({} of {} rows, {} of {} columns)\n", shown_rows, rows, shown_columns, columns);
  }
  return text;
}

}  // namespace

std::string grid_text(const ComposedLayout& c) {
  const int64_t plane = extent_of(c, 0) * extent_of(c, 1);
  const int64_t slices = size(c.layout) / plane;
  if (slices == 1) return slice_text(c, 0);
  std::string text;
  for (int64_t i = 0; i < std::min(slices, kMostSlices); ++i) {
    text += format("slice {} of {}\n{}", i, slices, slice_text(c, i * plane));
  }
  if (slices > kMostSlices) text += format("({} of {} slices)\n", kMostSlices, slices);
  return text;
}

}  // namespace tilewright
