#include "draw/assignment_grids.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"
#include "draw/cell_panel.hpp"
#include "draw/font_metrics.hpp"
#include "draw/palette.hpp"
#include "draw/wave_strip.hpp"

namespace tilewright {
namespace {

constexpr double kMinSplit = 2;  // pixels of one fill in a cell that several CTAs share
constexpr double kCellTextSize = 10;

// Units by the tile that they compute, ascending in k.
struct ProblemGrid {
  std::string name;  // in tooltips; empty for a single problem
  TileCoord tiles;   // tiles of the whole problem
  int rows = 0;      // rows drawn, overhang included
  int columns = 0;
  std::vector<std::vector<const DealtUnit*>> cells;
  TileCoord tile_at(size_t cell) const {
    const auto width = static_cast<size_t>(columns);
    return {static_cast<int>(cell / width), static_cast<int>(cell % width)};
  }
  bool holds(size_t cell) const { return tw::is_inside(tiles, tile_at(cell)); }
};

ProblemGrid sort_to_cells(const Plan& s, const std::vector<DealtUnit>& units, int problem) {
  const TileCoord tiles = s.problems[static_cast<size_t>(problem)].tiles;
  ProblemGrid grid{.name = s.problems.size() == 1 ? "" : format("problem {}, ", problem),
                   .tiles = tiles,
                   .rows = tiles.m,
                   .columns = tiles.n,
                   .cells = {}};
  for (const DealtUnit& dealt : units) {
    if (dealt.unit.work.problem != problem) continue;
    grid.rows = std::max(grid.rows, dealt.unit.work.m + 1);
    grid.columns = std::max(grid.columns, dealt.unit.work.n + 1);
  }
  require_drawable_cells(grid.rows, grid.columns, "one problem, overhang included,");
  grid.cells.resize(static_cast<size_t>(grid.rows) * static_cast<size_t>(grid.columns));
  for (const DealtUnit& dealt : units) {
    const WorkTile& w = dealt.unit.work;
    if (w.problem != problem) continue;
    const size_t at =
        static_cast<size_t>(w.m) * static_cast<size_t>(grid.columns) + static_cast<size_t>(w.n);
    grid.cells[at].push_back(&dealt);
  }
  for (auto& cell : grid.cells) {
    std::stable_sort(cell.begin(), cell.end(), [](const DealtUnit* a, const DealtUnit* b) {
      return a->unit.work.k_begin < b->unit.work.k_begin;
    });
  }
  return grid;
}

int color_of(const DealtUnit& dealt, const UnitColors& colors) {
  return colors.index(dealt.unit.cta, dealt.unit_index, dealt.unit.work.problem);
}

// "7", "4-7", "3,9" or "3..9".
std::string ctas_text(const std::vector<const DealtUnit*>& cell) {
  std::vector<int64_t> ctas;
  ctas.reserve(cell.size());
  for (const DealtUnit* dealt : cell) ctas.push_back(dealt->unit.cta);
  std::sort(ctas.begin(), ctas.end());
  ctas.erase(std::unique(ctas.begin(), ctas.end()), ctas.end());
  if (ctas.empty()) return {};
  if (ctas.size() == 1) return format("{}", ctas.front());
  const bool consecutive = ctas.back() - ctas.front() == static_cast<int64_t>(ctas.size()) - 1;
  if (ctas.size() == 2) return format("{},{}", ctas.front(), ctas.back());
  return format("{}{}{}", ctas.front(), consecutive ? "-" : "..", ctas.back());
}

// "tile 3,5: CTA 7, unit 2, k-steps 0 to 16, DRAM re-reads 5.7x"; a divided tile lists all its
// parts or their count.
std::string tooltip_text(TileCoord tile, const std::vector<const DealtUnit*>& cell) {
  constexpr size_t kNamed = 8;
  std::string text = format("tile {},{}: ", tile.m, tile.n);
  if (cell.empty()) return text + "no CTA";
  for (size_t i = 0; i < std::min(kNamed, cell.size()); ++i) {
    const ScheduledUnit& unit = cell[i]->unit;
    text += format("{}CTA {}, unit {}, ", i == 0 ? "" : "; ", unit.cta, cell[i]->unit_index);
    switch (unit.kind) {
      case UnitKind::Work:
        text +=
            format("k-steps {} to {}{}", unit.work.k_begin, unit.work.k_end, reuse_text(*cell[i]));
        break;
      case UnitKind::EarlyExit: text += "leaves early"; break;
      case UnitKind::Padded: text += "padding"; break;
    }
  }
  if (cell.size() > kNamed) text += format("; {} parts", cell.size());
  return text;
}

void fill_cell(const ProblemGrid& grid, size_t at, bool wanted, const UnitColors& colors,
               CellPanel& panel) {
  const std::vector<const DealtUnit*>& cell = grid.cells[at];
  panel.texts.push_back(ctas_text(cell));
  panel.tooltips.push_back(
      cell.empty() && !wanted ? "" : grid.name + tooltip_text(grid.tile_at(at), cell));
  const bool padded = !cell.empty() && cell.front()->unit.kind == UnitKind::Padded;
  if (!wanted) {
    const bool beyond = cell.empty() && !grid.holds(at);
    panel.fills.push_back(beyond ? kNoFill : padded ? kWastedFill : kHatchedFill);
    return;
  }
  if (cell.empty()) {
    panel.fills.push_back(kNoFill);
    panel.marked.push_back(static_cast<int>(at));
    return;
  }
  panel.fills.push_back(color_of(*cell.front(), colors));
  if (cell.size() == 1) return;
  SplitCell split{.cell = static_cast<int>(at), .fills = {}};
  for (const DealtUnit* dealt : cell) split.fills.push_back(color_of(*dealt, colors));
  panel.splits.push_back(std::move(split));
}

// Drops fills that would be too narrow to see, evenly across the cell.
void thin_splits(CellPanel& panel) {
  const auto most = std::max<size_t>(1, static_cast<size_t>(panel.cell_width / kMinSplit));
  for (SplitCell& split : panel.splits) {
    if (split.fills.size() <= most) continue;
    std::vector<int> kept;
    for (size_t i = 0; i < most; ++i) kept.push_back(split.fills[i * split.fills.size() / most]);
    split.fills = std::move(kept);
  }
}

std::vector<PanelLine> cluster_lines(int extent, int every) {
  std::vector<PanelLine> lines;
  for (int at = every; every > 1 && at < extent; at += every) lines.push_back({at, 1});
  return lines;
}

// True where the triangle is walked in squares of several tiles, because a tile is not square.
bool has_macro_tiles(const Plan& s, const PlannedProblem& p) {
  const tw::Triangle& triangle = p.map.triangle;
  return p.map.triangular && triangle.band == 0 && triangle.ratio() > 1 && s.cluster_size == 1;
}

void add_macro_lines(const Plan& s, int problem, CellPanel& panel) {
  const tw::SlotMap& map = s.problem(problem).map;
  if (!has_macro_tiles(s, s.problem(problem))) return;
  const bool wide = map.triangle.cta_n > map.triangle.cta_m;
  const auto lines = [](int extent, int every) {
    std::vector<PanelLine> at = cluster_lines(extent, every);
    if (every == 1) {
      for (int i = 1; i < extent; ++i) at.push_back({i, 1});
    }
    for (PanelLine& line : at) line.level = 2;
    return at;
  };
  const TileCoord tiles = s.problem(problem).tiles;
  panel.row_lines = lines(tiles.m, wide ? map.triangle.ratio() : 1);
  panel.column_lines = lines(tiles.n, wide ? 1 : map.triangle.ratio());
}

// Thins lines that are close together: they would dominate the tiles between them, or cover them.
void thin_lines(CellPanel& panel) {
  constexpr double kApart = 20;
  constexpr double kMinApart = 9;
  const auto thin = [](std::vector<PanelLine>& lines, double cell) {
    if (lines.empty()) return;
    const double apart = lines.front().at * cell;
    if (apart < kApart) {
      for (PanelLine& line : lines) line.level = 1;
    }
    if (apart < kMinApart) lines.clear();
  };
  thin(panel.row_lines, panel.cell_height);
  thin(panel.column_lines, panel.cell_width);
}

// Space for the cells of a grid, pixels.
struct CellLimits {
  double wide = 0;
  double high = 0;
  double side = 0;  // side of a cell without numbers
};

CellLimits cell_limits(const std::vector<CellPanel>& panels, const AvailableSize& available) {
  constexpr double kMaxCell = 36;
  int rows = 1;
  int columns = 1;
  double beside = 0;  // for row labels
  for (const CellPanel& panel : panels) {
    rows = std::max(rows, panel.rows);
    columns = std::max(columns, panel.columns);
    beside = std::max(beside, panel_margin(panel).x + 2);
  }
  const int longest = std::max(rows, columns);
  const double own = panels.size() == 1 ? 720 : panels.size() <= 4 ? 480 : 320;
  const double stretched = std::max(own * 1.6, 900.0);
  if (available.width == 0) {
    return {stretched * columns / longest, std::numeric_limits<double>::infinity(),
            std::clamp(std::floor(own / longest), 2.0, kMaxCell)};
  }
  const double wide = std::max(available.width - beside, 1.0);
  const double high = available.height > 0 ? std::max(available.height - 60, 1.0) : stretched;
  return {wide, high,
          fitting_side(std::min(own, wide) / columns, std::min(own, high) / rows, kMaxCell)};
}

// All grids of a picture get the same cell size: as wide as the numbers where these fit.
void set_cells(const Plan& s, std::vector<CellPanel>& panels, const AvailableSize& available) {
  const CellLimits cells = cell_limits(panels, available);
  int rows = 1;
  int columns = 1;
  double widest = 0;
  for (const CellPanel& panel : panels) {
    rows = std::max(rows, panel.rows);
    columns = std::max(columns, panel.columns);
    for (const std::string& text : panel.texts) {
      widest = std::max(widest, text_width(text, kCellTextSize));
    }
  }
  const double wide = std::ceil(widest) + 8;
  const double high = std::max(cells.side, kCellTextSize * 1.7);
  const bool fits = wide * columns <= cells.wide && high * rows <= cells.high;
  for (CellPanel& panel : panels) {
    panel.cell_width = fits ? std::max(cells.side, wide) : cells.side;
    panel.cell_height = fits ? high : cells.side;
    if (is_triangular(s.workload)) {
      // Cells take the tile's aspect ratio, so that the matrix is drawn square.
      const double ratio = static_cast<double>(s.config.cta.n) / s.config.cta.m;
      double square = std::max(panel.cell_width, panel.cell_height);
      if (available.width > 0)
        square = std::min(square, cells.wide / columns / std::max(1.0, ratio));
      panel.cell_width = std::round(square * std::max(1.0, ratio));
      panel.cell_height = std::round(square * std::max(1.0, 1 / ratio));
    }
    // Grids of a few rows or columns are stretched across.
    const double across = std::floor(72.0 / (std::min(panel.rows, panel.columns) + 1));
    if (panel.rows == 0 || panel.columns == 0) continue;
    if (panel.columns > 8 * panel.rows) panel.cell_height = std::max(panel.cell_height, across);
    if (panel.rows > 8 * panel.columns) panel.cell_width = std::max(panel.cell_width, across);
    thin_splits(panel);
    thin_lines(panel);
  }
}

CellPanel make_panel(const Plan& s, const std::vector<DealtUnit>& units, int problem,
                     const UnitColors& colors) {
  const ProblemGrid grid = sort_to_cells(s, units, problem);
  const auto number = static_cast<size_t>(problem);
  CellPanel panel;
  panel.rows = grid.rows;
  panel.columns = grid.columns;
  const int steps = s.problems[number].work.k_steps;
  const std::string shape = to_string(s.workload.shapes[number]);
  panel.caption = s.problems.size() == 1 ? format("{} in {}", shape, counted(steps, "k-step"))
                                         : format("{}: {}", problem, shape);
  panel.row_name = std::string("m");
  panel.column_name = std::string("n");
  for (int i = 0; i < palette::kHues; ++i) panel.colors.push_back(palette::hue(i));
  for (size_t at = 0; at < grid.cells.size(); ++at) {
    const bool wanted = grid.holds(at) && is_in_output(s, problem, grid.tile_at(at));
    fill_cell(grid, at, wanted, colors, panel);
  }
  panel.row_lines = cluster_lines(grid.rows, s.config.cluster.m);
  panel.column_lines = cluster_lines(grid.columns, s.config.cluster.n);
  panel.outlined_rows = grid.tiles.m;
  panel.outlined_columns = grid.tiles.n;
  add_macro_lines(s, problem, panel);
  return panel;
}

bool is_empty(const CellPanel& panel) {
  return panel.rows == 0 || panel.columns == 0;
}

// True where grids of a few rows each have the same columns, and so fit below each other.
bool can_stack(const Plan& s, const std::vector<CellPanel>& panels) {
  constexpr size_t kFew = 4;
  constexpr int kFewRows = 3;
  int rows = 0;
  for (const CellPanel& panel : panels) {
    rows += panel.rows;
    if (panel.columns != panels.front().columns || panel.rows != panel.outlined_rows) return false;
    if (panel.columns != panel.outlined_columns) return false;
  }
  return panels.size() > kFew && rows <= kFewRows * static_cast<int>(panels.size()) &&
         rows <= kMaxDrawnCells && !is_triangular(s.workload);
}

// One panel of all grids; the first row of each has its caption.
CellPanel stacked(std::vector<CellPanel> panels) {
  CellPanel all;
  all.row_name = "problem";
  all.column_name = panels.front().column_name;
  all.columns = panels.front().columns;
  all.colors = panels.front().colors;
  all.column_lines = panels.front().column_lines;
  const auto append = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (CellPanel& panel : panels) {
    const int cells_above = all.rows * all.columns;
    if (all.rows > 0) all.row_lines.push_back({all.rows, 3});
    for (const PanelLine& line : panel.row_lines) {
      all.row_lines.push_back({all.rows + line.at, line.level});
    }
    for (const int cell : panel.marked) all.marked.push_back(cells_above + cell);
    for (SplitCell& split : panel.splits) {
      split.cell += cells_above;
      all.splits.push_back(std::move(split));
    }
    append(all.fills, panel.fills);
    append(all.texts, panel.texts);
    append(all.tooltips, panel.tooltips);
    all.row_labels.push_back(panel.caption);
    all.rows += panel.rows;
    all.row_labels.resize(static_cast<size_t>(all.rows));
  }
  all.outlined_rows = all.rows;
  all.outlined_columns = all.columns;
  return all;
}

}  // namespace

void require_drawable_units(const Plan& s) {
  if ((s.units + s.stream_k_tiles) * s.cluster_size > kMaxAssignedTiles) {
    throw usage_error(
        format("a picture holds {} units, and this schedule has {}: draw a smaller problem, or use "
               "analyze schedule",
               kMaxAssignedTiles, (s.units + s.stream_k_tiles) * s.cluster_size));
  }
}

std::string reuse_text(const DealtUnit& dealt) {
  return dealt.rereads ? ", " + rereads_text(*dealt.rereads) : "";
}

std::vector<DealtUnit> dealt_units(const Plan& s, std::span<const double> rereads) {
  require_drawable_units(s);
  std::vector<int64_t> unit_counts(static_cast<size_t>(s.ctas()));
  std::vector<DealtUnit> units;
  for_each_unit(s, [&](const ScheduledUnit& unit) {
    DealtUnit dealt{unit, unit_counts[static_cast<size_t>(unit.cta)]++};
    // CTAs beyond those that run at once start as others end.
    const auto wave =
        static_cast<size_t>(dealt.unit_index + unit.cta / std::max<int64_t>(s.resident, 1));
    if (unit.kind == UnitKind::Work && wave < rereads.size()) dealt.rereads = rereads[wave];
    units.push_back(dealt);
  });
  return units;
}

void require_drawable_grids(const Plan& s) {
  if (s.problems.size() > kMaxGrids) {
    throw usage_error(
        format("a picture holds the grids of {} problems, and this group has {}: draw some of "
               "them, or --view gantt",
               kMaxGrids, s.problems.size()));
  }
  int64_t tiles = 0;
  for (const PlannedProblem& p : s.problems) {
    require_drawable_cells(p.tiles.m, p.tiles.n, "a problem");
    tiles += int64_t{p.tiles.m} * p.tiles.n;
  }
  if (tiles > kMaxAssignedTiles) {
    throw usage_error(format("a picture holds {} tiles, and these problems have {}: --view gantt",
                             kMaxAssignedTiles, tiles));
  }
}

void add_touching_waves(const Plan& s, const std::vector<DealtUnit>& units, WavePairs& pairs) {
  for (size_t i = 0; i < s.problems.size(); ++i) {
    const ProblemGrid grid = sort_to_cells(s, units, static_cast<int>(i));
    std::vector<int64_t> waves;
    waves.reserve(grid.cells.size());
    for (const std::vector<const DealtUnit*>& cell : grid.cells) {
      waves.push_back(cell.empty() ? -1 : cell.front()->unit_index);
    }
    add_touching_waves(waves, grid.columns, pairs);
  }
}

std::vector<PageBlock> assignment_grids(const Plan& s, const std::vector<DealtUnit>& units,
                                        const UnitColors& colors, const AvailableSize& available) {
  require_drawable_grids(s);
  std::vector<CellPanel> panels;
  for (size_t i = 0; i < s.problems.size(); ++i) {
    CellPanel panel = make_panel(s, units, static_cast<int>(i), colors);
    panel.caption_width = available.width;
    if (s.problems.size() == 1 || !is_empty(panel)) panels.push_back(std::move(panel));
  }
  if (can_stack(s, panels)) panels = {stacked(std::move(panels))};
  set_cells(s, panels, available);
  std::vector<PageBlock> blocks;
  blocks.reserve(panels.size());
  for (CellPanel& panel : panels) blocks.push_back(draw_panel(std::move(panel)));
  return blocks;
}

std::vector<LegendEntry> assignment_legend(const Plan& s, const std::vector<DealtUnit>& units,
                                           int64_t missing_tiles) {
  bool early = false;
  bool padded = false;
  for (const DealtUnit& dealt : units) {
    early = early || dealt.unit.kind == UnitKind::EarlyExit;
    padded = padded || dealt.unit.kind == UnitKind::Padded;
  }
  std::vector<LegendEntry> entries;
  if (is_triangular(s.workload)) {
    entries.push_back(legend_hatch("not needed; with a number: that CTA exits early"));
  } else if (early) {
    entries.push_back(legend_hatch("overhang: the CTA exits early"));
  }
  if (padded) {
    entries.push_back(legend_patch("padding: a main loop without a result",
                                   {.fill = palette::kWaste, .hatch = palette::kWasteHatch}));
  }
  if (missing_tiles > 0) entries.push_back(legend_mark("never computed"));
  if (std::any_of(s.problems.begin(), s.problems.end(),
                  [&](const PlannedProblem& p) { return has_macro_tiles(s, p); })) {
    entries.push_back(
        legend_patch("macro tile: a square that the triangle's schedule visits as one",
                     {.stroke = palette::kInk, .stroke_width = 1.7}));
  }
  if (s.cluster_size > 1) {
    entries.push_back(legend_patch(
        "cluster", {.stroke = palette::with_alpha(palette::kMuted, 190), .stroke_width = 1.4}));
  }
  return entries;
}

}  // namespace tilewright
