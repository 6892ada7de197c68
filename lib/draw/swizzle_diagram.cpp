#include "draw/swizzle_diagram.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "draw/cell_panel.hpp"
#include "draw/palette.hpp"
#include "draw/swizzle_bits.hpp"

namespace tilewright {
namespace {

WarpAccess access_of(const SwizzleProblem& p, const TilePattern& pattern, const LaneElements& lanes,
                     const Swizzle& swizzle) {
  WarpAccess access{.op = pattern.op, .addresses = {}};
  for (size_t lane = 0; lane < kWarpLanes; ++lane) {
    access.addresses[lane] =
        lanes[lane] == kInactive ? kInactive : apply(swizzle, lanes[lane]) * p.tile.element_bytes;
  }
  return access;
}

// The phase that is outlined, and the access it belongs to.
struct Shown {
  const TilePattern* pattern = nullptr;
  LaneElements lanes{};
  size_t instruction = 0;
  size_t phase = 0;
};

Shown costliest_phase(const SwizzleProblem& p, const TilePattern& pattern) {
  Shown shown{.pattern = &pattern};
  const std::vector<LaneElements> accesses = warp_accesses(p.tile, pattern);
  int most = 0;
  for (size_t i = 0; i < accesses.size(); ++i) {
    const Wavefronts cost = count_wavefronts(access_of(p, pattern, accesses[i], {}));
    for (size_t phase = 0; phase < cost.phases.size(); ++phase) {
      if (cost.phases[phase].words <= most) continue;
      most = cost.phases[phase].words;
      shown.lanes = accesses[i];
      shown.instruction = i;
      shown.phase = phase;
    }
  }
  return shown;
}

AccessPhase phase_under(const SwizzleProblem& p, const Shown& shown, const Swizzle& swizzle) {
  const Wavefronts cost = count_wavefronts(access_of(p, *shown.pattern, shown.lanes, swizzle));
  return cost.phases[std::min(shown.phase, cost.phases.size() - 1)];
}

// Cells that the access of a lane covers.
std::vector<int> cells_of(const SwizzleProblem& p, const Shown& shown, int lane) {
  const int64_t element = shown.lanes[static_cast<size_t>(lane)];
  const int64_t count = std::max<int64_t>(1, elements_together(p.tile, *shown.pattern) / p.vector);
  std::vector<int> cells;
  for (int64_t i = 0; i < count; ++i) cells.push_back(static_cast<int>(element / p.vector + i));
  return cells;
}

CellPanel tile_panel(const SwizzleProblem& p, const Swizzle& swizzle) {
  CellPanel panel;
  const int64_t columns = p.tile.cols / p.vector;
  require_drawable_cells(p.tile.rows, columns, "the tile, in vectors,");
  panel.rows = static_cast<int>(p.tile.rows);
  panel.columns = static_cast<int>(columns);
  for (int bank = 0; bank < kBanks; ++bank) panel.colors.push_back(palette::bank_color(bank));
  for (int64_t element = 0; element < element_count(p.tile); element += p.vector) {
    const int64_t byte = apply(swizzle, element) * p.tile.element_bytes;
    const auto bank = static_cast<int>(byte / kBankBytes % kBanks);
    panel.fills.push_back(bank);
    panel.texts.push_back(format("{}", bank));
    const int64_t column = element % p.tile.cols;
    panel.tooltips.push_back(format(
        "row {}, column{}: bank {}, byte {}", element / p.tile.cols,
        p.vector == 1 ? format(" {}", column) : format("s {} to {}", column, column + p.vector - 1),
        bank, byte));
  }
  panel.row_name = "row";
  panel.column_name = p.vector == 1 ? "column" : format("vector of {} columns", p.vector);
  return panel;
}

void mark_phase(const SwizzleProblem& p, const Shown& shown, const Swizzle& swizzle,
                CellPanel& panel) {
  const AccessPhase phase = phase_under(p, shown, swizzle);
  for (const int lane : phase.lanes) {
    for (const int cell : cells_of(p, shown, lane)) panel.marked.push_back(cell);
  }
  for (const int lane : phase.words > 1 ? phase.bank_lanes : std::vector<int>{}) {
    for (const int cell : cells_of(p, shown, lane)) panel.flagged.push_back(cell);
  }
}

// Rows after which the banks of both panels repeat, and which contain every mark.
int rows_before_repeating(const std::vector<CellPanel>& panels) {
  constexpr int kFewest = 16;
  const int all = panels.front().rows;
  for (int rows = kFewest; rows <= all / 2; rows *= 2) {
    const auto repeats = [rows](const CellPanel& panel) {
      const auto step = static_cast<std::ptrdiff_t>(rows) * panel.columns;
      const auto beyond = [step](int cell) { return cell >= step; };
      return std::equal(panel.fills.begin() + step, panel.fills.end(), panel.fills.begin()) &&
             std::none_of(panel.marked.begin(), panel.marked.end(), beyond);
    };
    if (std::all_of(panels.begin(), panels.end(), repeats)) return rows;
  }
  return all;
}

void keep_rows(int rows, CellPanel& panel) {
  const auto cells = static_cast<size_t>(rows) * static_cast<size_t>(panel.columns);
  panel.rows = rows;
  panel.fills.resize(cells);
  panel.texts.resize(cells);
  panel.tooltips.resize(cells);
}

std::string cost_line(const char* what, const TilePattern& pattern, const TileCost& before,
                      const TileCost& after) {
  return format("{} {}: {} wavefronts before, {} after, ideal {}", what, to_string(pattern),
                before.total, after.total, before.ideal);
}

std::string size_line(const SharedTile& tile, int64_t vector) {
  return format("{}x{} elements of {}, vectors of {} = {}; swizzle in elements", tile.rows,
                tile.cols, counted(tile.element_bytes, "byte"), counted(vector, "element"),
                counted(vector * tile.element_bytes, "byte"));
}

std::vector<std::string> header_lines(const SwizzleReport& r, const AccessCosts& before,
                                      const SwizzleCandidate& best) {
  const SwizzleProblem& p = r.problem;
  const std::string rule =
      r.solution.rule.swizzle ? r.solution.rule.text : format("none, {}", r.solution.rule.why_not);
  const char* const verdict = is_conflict_free(best.costs) ? "no conflicts"
                              : r.is_given                 ? "conflicts remain"
                                           : "no swizzle in range is free of conflicts";
  std::vector<std::string> lines{size_line(p.tile, p.vector)};
  if (const TilePattern* const write = warps_of(p.write)) {
    lines.push_back(cost_line("write", *write, before.write, best.costs.write));
  } else if (is_tma(p.write)) {
    lines.emplace_back("written by TMA, without conflicts, in a swizzle mode of a tensor map");
  }
  lines.push_back(cost_line("read", p.read, before.read, best.costs.read));
  lines.push_back(format("{}; rule of thumb: {}", verdict, rule));
  return lines;
}

// Drops the rows that repeat from the panels, and adds a line that names them.
void keep_first_rows(std::vector<CellPanel>& panels, std::vector<std::string>& lines) {
  const int all = panels.front().rows;
  const int rows = rows_before_repeating(panels);
  if (rows == all) return;
  lines.push_back(format("rows {} to {} repeat the first {} rows", rows, all - 1, rows));
  for (CellPanel& panel : panels) keep_rows(rows, panel);
}

LegendEntry bank_legend() {
  std::vector<Color> banks;
  banks.reserve(kBanks);
  for (int bank = 0; bank < kBanks; ++bank) banks.push_back(palette::bank_color(bank));
  return legend_ramp("bank 0 to 31 (4 bytes each) of the vector's first byte", banks);
}

// The panels before and after; below them the swizzle's effect on an offset and on rows.
Page tile_page(const SharedTile& tile, const Swizzle& swizzle, const SwizzlePeriods& periods,
               const AvailableSize& available) {
  Page page{.title = format("{} on a tile of {}x{}", to_string(swizzle), tile.rows, tile.cols)};
  page.below = {swizzle_bits_block(swizzle, tile.element_bytes, element_count(tile)),
                swizzle_periods_block(periods, tile)};
  page.per_line = 2;
  page.compared = true;
  page.available = available;
  page.legend = {bank_legend()};
  return page;
}

}  // namespace

Scene swizzle_diagram(const SwizzleReport& r, const AvailableSize& available) {
  const SwizzleProblem& p = r.problem;
  const SwizzleCandidate& best = r.solution.candidates.front();
  const AccessCosts before = swizzled_costs(p, {});
  const bool write_only = conflicts(before.read) == 0 && conflicts(before.write) > 0;
  const Shown shown = costliest_phase(p, write_only ? *warps_of(p.write) : p.read);
  Page page = tile_page(p.tile, best.swizzle, *r.periods, available);
  page.lines = header_lines(r, before, best);
  const Swizzle swizzles[] = {{}, best.swizzle};
  std::vector<CellPanel> panels;
  for (const Swizzle& swizzle : swizzles) {
    panels.push_back(tile_panel(p, swizzle));
    mark_phase(p, shown, swizzle, panels.back());
    panels.back().caption =
        format("{}: outlined phase takes {}",
               panels.size() == 1 ? "before" : format("after {}", to_string(swizzle)),
               counted(phase_under(p, shown, swizzle).words, "wavefront"));
  }
  keep_first_rows(panels, page.lines);
  page.blocks = draw_panels(std::move(panels), available, 2);
  page.legend.push_back(legend_mark(format(
      "{}, instruction {}, phase {}", to_string(*shown.pattern), shown.instruction, shown.phase)));
  if (conflicts(before.read) + conflicts(before.write) > 0) {
    page.legend.push_back(legend_flag("conflicts with others in the busiest bank"));
  }
  return page_scene(std::move(page));
}

Scene swizzle_diagram(const SwizzleFacts& f, int64_t vector, const AvailableSize& available) {
  SwizzleProblem p;
  p.tile = f.tile;
  p.vector = vector;
  Page page = tile_page(f.tile, f.swizzle, f.periods, available);
  page.lines = {size_line(f.tile, vector)};
  std::vector<CellPanel> panels = {tile_panel(p, {}), tile_panel(p, f.swizzle)};
  panels[0].caption = "before";
  panels[1].caption = format("after {}", to_string(f.swizzle));
  keep_first_rows(panels, page.lines);
  page.blocks = draw_panels(std::move(panels), available, 2);
  return page_scene(std::move(page));
}

}  // namespace tilewright
