// A grid of cells, from which the pictures of layouts, accesses and swizzles are made.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "draw/diagram_page.hpp"
#include "draw/scene.hpp"

namespace tilewright {

/// Most cells along a side of one picture.
inline constexpr int kMaxDrawnCells = 512;

/// Throws a usage error that names `what` for more cells than a picture holds.
void require_drawable_cells(int64_t rows, int64_t columns, const char* what);

/// Fill values that are not colour indices.
inline constexpr int kNoFill = -2;
inline constexpr int kHatchedFill = -1;
inline constexpr int kWastedFill = -3;  // work without a result

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
  std::vector<int> fills;               // one per cell
  std::vector<SplitCell> splits;        // drawn over the fills
  std::vector<std::string> texts;       // none, or one per cell; '\n' begins a second line
  std::vector<std::string> tooltips;    // none, or the text shown over each cell by the pointer
  std::vector<int> marked;              // outlined cells
  std::vector<int> flagged;             // cells with a folded corner
  std::vector<PanelLine> row_lines;     // before a row
  std::vector<PanelLine> column_lines;  // before a column
  std::vector<std::string> row_labels;  // none: row numbers
  std::vector<std::string> column_labels;
  int outlined_rows = 0;     // rows inside the outline, from the first; 0: all
  int outlined_columns = 0;  // columns inside the outline, from the first; 0: all
  double caption_width = 0;  // most width of the caption, which is broken into lines; 0: any
  double label_room = 0;     // least width of the row labels, so that panels line up
  std::string row_name;      // name beside an arrow down; empty: no arrow
  std::string column_name;   // name beside an arrow to the right
  double cell_width = 0;     // 0: set from rows, columns and texts
  double cell_height = 0;
};

/// The space left of the cells and above them, pixels.
Point panel_margin(const CellPanel& panel);

/// Sets the cell size to the smallest whole pixels that hold the texts; where the panel would grow
/// too large, it leaves the texts out. With an available size, cells grow to fill it up to a useful
/// size.
void set_cell_size(CellPanel& panel, const AvailableSize& available = {});

/// Draws the panel; first chooses the cell sizes that are 0.
PageBlock draw_panel(CellPanel panel, const AvailableSize& available = {});

/// Draws panels with one cell size. On a page with a size, panels side by side share it;
/// panels that are compared stand in `columns` columns.
std::vector<PageBlock> draw_panels(std::vector<CellPanel> panels, const AvailableSize& page = {},
                                   size_t columns = 0);

/// Lines at the bounds of nested tiles; `extents` go from the fastest mode to the slowest.
std::vector<PanelLine> nested_lines(const std::vector<int64_t>& extents);

/// Legend entry of a marked cell.
LegendEntry legend_mark(const std::string& text);
LegendEntry legend_flag(const std::string& text);
LegendEntry legend_hatch(const std::string& text);

}  // namespace tilewright
