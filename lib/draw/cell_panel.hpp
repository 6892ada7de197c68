// A grid of cells: what the pictures of layouts, accesses and swizzles are made of.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "draw/diagram_page.hpp"
#include "draw/scene.hpp"

namespace tilewright {

/// Cells a side and in all that one picture holds.
inline constexpr int kMostDrawnCells = 512;

/// Throws a usage error that names `what` for more cells than a picture holds.
void require_drawable_cells(int64_t rows, int64_t columns, const char* what);

/// Fills that are no colours.
inline constexpr int kNoFill = -2;
inline constexpr int kHatchedFill = -1;
inline constexpr int kWastedFill = -3;  // work for nothing

/// A line before row or column `at`; level 1 is the thinnest.
struct PanelLine {
  int at = 0;
  int level = 1;
  bool operator==(const PanelLine&) const = default;
};

/// A cell with several fills, side by side.
struct SplitCell {
  int cell = 0;
  std::vector<int> fills;
};

/// Cells are numbered row after row; fills are indices into `colors`.
struct CellPanel {
  std::string caption;
  int rows = 0;
  int columns = 0;
  std::vector<Color> colors;
  std::vector<int> fills;               // one a cell
  std::vector<SplitCell> splits;        // over the fills
  std::vector<std::string> texts;       // none, or one a cell; '\n' begins a second line
  std::vector<std::string> hovers;      // none, or what each cell tells when pointed at
  std::vector<int> marked;              // outlined
  std::vector<int> flagged;             // with a corner folded
  std::vector<PanelLine> row_lines;     // before a row
  std::vector<PanelLine> column_lines;  // before a column
  std::vector<std::string> row_labels;  // none: the row's number
  std::vector<std::string> column_labels;
  int outlined_rows = 0;     // from the first; 0: all
  int outlined_columns = 0;  // likewise
  double caption_room = 0;   // most width of the caption, which is broken there; 0: any
  double label_room = 0;     // least width of the row labels, so that panels line up
  std::string row_name;      // beside an arrow down; empty: no arrow
  std::string column_name;   // beside an arrow to the right
  double cell_width = 0;     // 0: chosen by rows, columns and texts
  double cell_height = 0;
};

/// What a panel has left of its cells and above them, pixels.
Point panel_margin(const CellPanel& panel);

/// Sets the sizes of cells: as small as their texts allow, whole pixels, texts left out where the
/// panel would grow too large. In a room cells fill it as far as they gain from it.
void set_cell_size(CellPanel& panel, const Room& room = {});

/// Draws the panel; its sizes are chosen first where they are 0.
PageBlock draw_panel(CellPanel panel, const Room& room = {});

/// Draws panels with cells of one size; on a page that has a size, panels beside each other share
/// its room, in `columns` columns where they are compared.
std::vector<PageBlock> draw_panels(std::vector<CellPanel> panels, const Room& page = {},
                                   size_t columns = 0);

/// Lines at the bounds of nested tiles: `extents` from the fastest to the slowest.
std::vector<PanelLine> nested_lines(const std::vector<int64_t>& extents);

/// What marks look like in legends.
LegendEntry legend_mark(const std::string& text);
LegendEntry legend_flag(const std::string& text);
LegendEntry legend_hatch(const std::string& text);

}  // namespace tilewright
