#include "draw/grid_parts.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "draw/diagram_page.hpp"
#include "draw/font_metrics.hpp"
#include "draw/grid_frame.hpp"
#include "draw/grid_path.hpp"
#include "draw/palette.hpp"
#include "draw/scene.hpp"
#include "draw/value_axis.hpp"

namespace tilewright {
namespace {

constexpr int kOverhangValue = -1;
constexpr int kMissingValue = -2;
constexpr int kNothing = -3;      // the cell holds no tile of the grid
constexpr double kMinFramed = 8;  // pixels; a frame would cover smaller tiles

Style repeated_style(const GridFrame& f) {
  if (cell_size(f) < kMinFramed) return {.fill = palette::kWasteHatch};
  return {.stroke = palette::kWasteHatch, .stroke_width = 2};
}

bool has_overhang(const GridFrame& f) {
  return f.first.m + f.rows > f.grid.m || f.first.n + f.columns > f.grid.n;
}

// The first power of two whose labels have room along both axes.
int tick_step(double cell, double room) {
  int step = 1;
  while (step * cell < room) step *= 2;
  return step;
}

double tick_label_width(int end) {
  return text_width(format("{}", end - 1), kTickSize);
}

double row_label_width(const GridFrame& f) {
  return tick_label_width(f.first.m + f.rows);
}

// The colour index of every drawn tile, row by row, or one of the negative values above.
std::vector<int> tile_values(const GridFrame& f) {
  std::vector<int> values;
  for (int m = 0; m < f.rows; ++m) {
    for (int n = 0; n < f.columns; ++n) {
      const bool inside = is_on_grid(f.grid, {f.first.m + m, f.first.n + n});
      values.push_back(inside ? kMissingValue : kNothing);
    }
  }
  for (size_t slot = 0; slot < f.order.size(); ++slot) {
    const TileCoord tile = f.order[slot];
    if (!is_drawn(f, tile)) continue;
    const size_t at = cell_of(f, tile);
    // The tile has the colour of its first slot.
    if (values[at] == kNothing) values[at] = kOverhangValue;
    if (values[at] == kMissingValue) values[at] = color_index(f, slot);
  }
  return values;
}

// Frames every tile that has several slots; small tiles are filled instead.
void add_repeated(const GridFrame& f, std::vector<SceneItem>& items) {
  std::vector<int> repeated = visits_of(f);
  for (int& visits : repeated) visits = visits > 1 ? 1 : 0;
  const auto add = [&](int m, int n, int rows, int columns) {
    const bool framed = cell_size(f) >= kMinFramed;
    const double inset = framed ? 2 : 0;
    const Point at = corner(f, f.first.m + m, f.first.n + n);
    items.push_back(RectangleItem{.role = "repeated",
                                  .at = {at.x + inset, at.y + inset},
                                  .width = columns * f.cell_width - 2 * inset,
                                  .height = rows * f.cell_height - 2 * inset,
                                  .style = repeated_style(f)});
  };
  for (const TileArea& area : merge_areas(repeated, f.columns)) {
    if (area.value == 0) continue;
    if (cell_size(f) < kMinFramed) {
      add(area.m, area.n, area.rows, area.columns);
      continue;
    }
    for (int m = area.m; m < area.m + area.rows; ++m) {
      for (int n = area.n; n < area.n + area.columns; ++n) add(m, n, 1, 1);
    }
  }
}

}  // namespace

Point axis_margin(const GridFrame& f) {
  return {row_label_width(f) + 26, 40};
}

std::vector<SceneItem> tile_items(const GridFrame& f) {
  std::vector<SceneItem> items;
  for (const TileArea& area : merge_areas(tile_values(f), f.columns)) {
    if (area.value == kNothing) continue;
    RectangleItem item{.role = "overhang",
                       .at = corner(f, f.first.m + area.m, f.first.n + area.n),
                       .width = area.columns * f.cell_width,
                       .height = area.rows * f.cell_height};
    if (area.value == kMissingValue) {
      item.role = "missing";
      item.style = palette::kMissing;
    } else if (area.value == kOverhangValue) {
      item.style = {.fill = palette::kOverhang, .hatch = palette::kHatch};
    } else {
      const char* const role = !f.rereads_operands.empty() ? "heat"
                               : f.by_owner                ? "owner"
                               : f.ctas > 0                ? "wave"
                                                           : "slots";
      item.role = format("{}.{}", role, area.value);
      item.style = {.fill = color_of(f, area.value)};
    }
    items.push_back(std::move(item));
  }
  return items;
}

std::vector<SceneItem> line_items(const GridFrame& f) {
  std::vector<SceneItem> items;
  const auto lines = [&](const char* role, int every_m, int every_n, Color color, double width) {
    const TileCoord end = {f.first.m + f.rows, f.first.n + f.columns};
    for (int m = (f.first.m / every_m + 1) * every_m; m < end.m; m += every_m) {
      items.push_back(line_item(role, corner(f, m, f.first.n), corner(f, m, end.n), color, width));
    }
    for (int n = (f.first.n / every_n + 1) * every_n; n < end.n; n += every_n) {
      items.push_back(line_item(role, corner(f, f.first.m, n), corner(f, end.m, n), color, width));
    }
  };
  if (cell_size(f) >= 5) {
    lines("tile-line", 1, 1, palette::with_alpha(palette::kPaper, cell_size(f) >= 12 ? 255 : 150),
          cell_size(f) >= 12 ? 1.2 : 0.6);
  }
  if (f.cluster.m * f.cluster.n > 1 && cell_size(f) >= 5) {
    lines("cluster-line", f.cluster.m, f.cluster.n, palette::with_alpha(palette::kMuted, 190),
          cell_size(f) >= 12 ? 1.4 : 0.7);
  }
  if (f.blocks.count() > 1) {
    const int rows = f.grid.m / f.blocks.gpus;
    lines("chunk-line", rows / f.blocks.chunks, f.grid.n, palette::kMuted, 1);
    lines("owner-line", rows, f.grid.n, palette::kInk, 1.8);
  }
  add_repeated(f, items);
  items.push_back(RectangleItem{.role = "outline",
                                .at = f.origin,
                                .width = std::min(f.grid.n - f.first.n, f.columns) * f.cell_width,
                                .height = std::min(f.grid.m - f.first.m, f.rows) * f.cell_height,
                                .style = {.stroke = palette::kInk, .stroke_width = 1.8}});
  return items;
}

std::vector<SceneItem> axis_items(const GridFrame& f) {
  std::vector<SceneItem> items;
  const auto label = [&](Point at, const std::string& text, Anchor anchor, double size, bool bold) {
    items.push_back(axis_label("axis", at, text, anchor, size, bold));
  };
  const TileCoord end = {f.first.m + f.rows, f.first.n + f.columns};
  const int step_n = tick_step(f.cell_width, tick_label_width(end.n) + 6);
  const int step_m = tick_step(f.cell_height, kTickSize + 3);
  // Square tiles get the same numbers along both axes, which reads best.
  const int step = f.cell_width == f.cell_height ? std::max(step_n, step_m) : 0;
  for (int n = f.first.n; n < end.n; n += std::max(step, step_n)) {
    label({center(f, {f.first.m, n}).x, f.origin.y - 7}, format("{}", n), Anchor::Middle, kTickSize,
          false);
  }
  for (int m = f.first.m; m < end.m; m += std::max(step, step_m)) {
    label({f.origin.x - 7, center(f, {m, f.first.n}).y + capital_height(kTickSize) / 2},
          format("{}", m), Anchor::End, kTickSize, false);
  }
  // An arrow to the right with "n" above the numbers, an arrow down with "m" beside them.
  const double size = 12;
  const Point n_at = {f.origin.x, f.origin.y - 24};
  const Point m_at = {f.origin.x - row_label_width(f) - 18, f.origin.y + 9};
  label(n_at, "n", Anchor::Start, size, true);
  label(m_at, "m", Anchor::Middle, size, true);
  const Point n_from = {n_at.x + 12, n_at.y - 3};
  const Point n_to = {n_from.x + 22, n_from.y};
  const Point m_from = {m_at.x, m_at.y + 6};
  const Point m_to = {m_from.x, m_from.y + 22};
  items.push_back(line_item("axis", n_from, n_to, palette::kInk, 1.3));
  items.push_back(line_item("axis", m_from, m_to, palette::kInk, 1.3));
  items.push_back(arrow_head("axis", n_from, {n_to.x + 22, n_to.y}, 7));
  items.push_back(arrow_head("axis", m_from, {m_to.x, m_to.y + 22}, 7));
  return items;
}

std::vector<LegendEntry> owner_legend(int gpus) {
  std::vector<LegendEntry> entries;
  entries.reserve(static_cast<size_t>(gpus));
  for (int gpu = 0; gpu < gpus; ++gpu) {
    std::vector<Color> shades;
    for (int step = palette::kShades; step-- > 0;) shades.push_back(palette::shade(gpu, step));
    entries.push_back(legend_ramp(
        format("rows of GPU {}{}", gpu, gpu == 0 ? ", first to last visit" : ""), shades));
  }
  return entries;
}

std::vector<LegendEntry> legend_entries(const GridFrame& f) {
  constexpr double kHigh = kLegendSymbolHeight;
  std::vector<LegendEntry> entries;
  const auto swatch = [&](const std::string& text, const Style& style) {
    entries.push_back(
        {text,
         18,
         {RectangleItem{.role = "legend", .width = 18, .height = kHigh, .style = style}}});
  };
  if (f.by_owner) {
    entries = owner_legend(f.blocks.gpus);
  } else if (f.ctas > 0 && f.rereads_operands.empty()) {
    std::vector<int> shown(f.wave_colors.size(), -1);
    std::vector<bool> colored(static_cast<size_t>(f.rows) * static_cast<size_t>(f.columns));
    for (size_t slot = 0; slot < f.order.size(); ++slot) {
      const TileCoord tile = f.order[slot];
      if (!is_drawn(f, tile) || !is_on_grid(f.grid, tile) || colored[cell_of(f, tile)]) continue;
      colored[cell_of(f, tile)] = true;
      const size_t wave = slot / static_cast<size_t>(f.ctas);
      shown[wave] = f.wave_colors[wave];
    }
    entries = wave_legend(shown);
  } else if (f.rereads_operands.empty()) {
    LegendEntry ramp{"first to last slot", 6.0 * palette::kRampSteps, {}};
    for (int i = 0; i < palette::kRampSteps; ++i) {
      ramp.symbol.push_back(RectangleItem{.role = "legend",
                                          .at = {6.0 * i, 0},
                                          .width = 6,
                                          .height = kHigh,
                                          .style = {.fill = palette::ramp_color(i)}});
    }
    entries.push_back(std::move(ramp));
  }
  if (has_overhang(f)) {
    swatch("overhang", {.fill = palette::kOverhang, .hatch = palette::kHatch});
  }
  const std::vector<int> visits = visits_of(f);
  bool missing = false;
  bool repeated = false;
  for (size_t cell = 0; cell < visits.size(); ++cell) {
    const TileCoord tile = {f.first.m + static_cast<int>(cell) / f.columns,
                            f.first.n + static_cast<int>(cell) % f.columns};
    missing = missing || (visits[cell] == 0 && is_on_grid(f.grid, tile));
    repeated = repeated || visits[cell] > 1;
  }
  if (missing) swatch("missing: no slot", palette::kMissing);
  if (repeated) swatch("more than once: first slot + number of further ones", repeated_style(f));
  if (f.cluster.m * f.cluster.n > 1) {
    swatch("cluster", {.stroke = palette::with_alpha(palette::kMuted, 190), .stroke_width = 1.4});
  }
  if (f.order.size() > 1) entries.push_back(path_legend(f));
  return entries;
}

}  // namespace tilewright
