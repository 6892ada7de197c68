// Legends: symbols with texts beside them, flowed into lines.
#pragma once

#include <string>
#include <vector>

#include "draw/scene.hpp"

namespace tilewright {

/// Gap between a legend and the drawing it explains, pixels.
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

/// Entries from left to right, broken into lines of at most `width` pixels; the block's top left is
/// `at`. An entry wider than `width` has lines of its own: its text stands beside the symbol or,
/// without room there, below it. With `width` 0 every entry has one line.
LegendBlock flow_legend(const std::vector<LegendEntry>& entries, Point at, double width);

/// The item moved by `by`.
SceneItem moved(SceneItem item, Point by);

/// The bounds of an item of a scene.
struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

/// The bounds without line widths; a label reaches from the top of its capitals to its baseline.
Box box_of(const SceneItem& item);

/// True where the boxes share an area, not only an edge.
bool overlap(const Box& a, const Box& b);

}  // namespace tilewright
