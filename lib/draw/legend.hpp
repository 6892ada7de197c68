// Legends: symbols with a word beside them, flowed into lines.
#pragma once

#include <string>
#include <vector>

#include "draw/scene.hpp"

namespace tilewright {

/// Between a legend and what it explains.
inline constexpr double kLegendGap = 24;

/// The symbol's items lie in a box of symbol_width x kLegendSymbolHeight at the origin.
struct LegendEntry {
  std::string text;
  double symbol_width = 0;
  std::vector<SceneItem> symbol;
};

inline constexpr double kLegendSymbolHeight = 14;

struct LegendBlock {
  double width = 0;
  double height = 0;
  std::vector<SceneItem> items;
};

/// Entries from the left to the right, broken into lines of at most `width` pixels; the block's top
/// left is `at`. An entry wider than that has lines of its own, its words beside the symbol or,
/// without room for them, below. With `width` 0 every entry has one line.
LegendBlock flow_legend(const std::vector<LegendEntry>& entries, Point at, double width);

/// The item, moved.
SceneItem moved(SceneItem item, Point by);

/// Where an item of a scene lies.
struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

/// Lines without their width; a label from its capitals' top to its baseline.
Box box_of(const SceneItem& item);

/// True where the boxes share more than an edge.
bool overlap(const Box& a, const Box& b);

}  // namespace tilewright
