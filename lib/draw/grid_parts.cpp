#include "draw/grid_parts.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/text.hpp"
#include "draw/font_metrics.hpp"
#include "draw/palette.hpp"
#include "draw/raster_path.hpp"
#include "draw/tile_areas.hpp"
#include "draw/unit_colors.hpp"

namespace tilewright {
namespace {

constexpr double kTickSize = 11;
constexpr int kOverhangValue = -1;
constexpr int kNothing = -2;

bool is_drawn(const GridFrame& f, TileCoord tile) {
  return tile.m >= f.first.m && tile.m < f.first.m + f.rows && tile.n >= f.first.n &&
         tile.n < f.first.n + f.columns;
}

// Row-major among those drawn.
size_t cell_of(const GridFrame& f, TileCoord tile) {
  return static_cast<size_t>(tile.m - f.first.m) * static_cast<size_t>(f.columns) +
         static_cast<size_t>(tile.n - f.first.n);
}

bool has_overhang(const GridFrame& f) {
  return f.first.m + f.rows > f.grid.m || f.first.n + f.columns > f.grid.n;
}

// Of tile (m, n), and of the lines behind the last ones.
Point corner(const GridFrame& f, int m, int n) {
  return {f.origin.x + (n - f.first.n) * f.cell_width,
          f.origin.y + (m - f.first.m) * f.cell_height};
}

Point center(const GridFrame& f, TileCoord tile) {
  const Point at = corner(f, tile.m, tile.n);
  return {at.x + f.cell_width / 2, at.y + f.cell_height / 2};
}

// What decides how much detail fits.
double cell_size(const GridFrame& f) {
  return std::min(f.cell_width, f.cell_height);
}

// The hue of the wave, its heat, or the step of the ramp.
int color_index(const GridFrame& f, size_t slot) {
  if (!f.heat.empty()) return f.heat[slot / static_cast<size_t>(f.ctas)];
  if (f.ctas > 0) return f.wave_colors[slot / static_cast<size_t>(f.ctas)];
  return static_cast<int>(slot * palette::kRampSteps / f.order.size());
}

Color color_of(const GridFrame& f, int index) {
  if (!f.heat.empty()) return palette::heat_color(index);
  return f.ctas > 0 ? palette::hue(index) : palette::ramp_color(index);
}

double path_width(const GridFrame& f) {
  const double cell = cell_size(f);
  return cell < 5 ? cell * 0.1 : std::clamp(cell * 0.045, 0.6, 2.0);
}

double marker_radius(const GridFrame& f) {
  return std::clamp(cell_size(f) * 0.13, 3.4, 6.5);
}

PathItem line(const char* role, Point from, Point to, Color color, double width) {
  return {.role = role, .points = {from, to}, .style = {.stroke = color, .stroke_width = width}};
}

RectangleItem start_marker(Point at, double radius) {
  return {.role = "path.start",
          .at = {at.x - radius, at.y - radius},
          .width = 2 * radius,
          .height = 2 * radius,
          .radius = radius,
          .style = {.fill = palette::kInk, .stroke = palette::kPaper, .stroke_width = 1}};
}

RectangleItem end_marker(Point at, double radius) {
  const double side = radius * 0.9;
  return {.role = "path.end",
          .at = {at.x - side, at.y - side},
          .width = 2 * side,
          .height = 2 * side,
          .style = {.fill = palette::kPaper, .stroke = palette::kInk, .stroke_width = 1.6}};
}

// A filled head at the middle of a line.
PathItem arrow_head(Point from, Point to, double size, const char* role) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const Point d = {(to.x - from.x) / length * size, (to.y - from.y) / length * size};
  const Point tip = {(from.x + to.x) / 2 + d.x * 0.6, (from.y + to.y) / 2 + d.y * 0.6};
  return {.role = role,
          .points = {tip,
                     {tip.x - d.x - d.y * 0.55, tip.y - d.y + d.x * 0.55},
                     {tip.x - d.x + d.y * 0.55, tip.y - d.y - d.x * 0.55}},
          .closed = true,
          .style = {.fill = palette::kInk}};
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

// The stretches of the walk inside of what is drawn.
std::vector<std::span<const TileCoord>> drawn_stretches(const GridFrame& f) {
  std::vector<std::span<const TileCoord>> stretches;
  const std::span<const TileCoord> order = f.order;
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    while (end < order.size() && is_drawn(f, order[end])) ++end;
    if (end > begin) stretches.push_back(order.subspan(begin, end - begin));
    begin = end + 1;
  }
  return stretches;
}

std::vector<int64_t> drawn_waves(const GridFrame& f) {
  std::vector<int64_t> waves(static_cast<size_t>(f.rows) * static_cast<size_t>(f.columns), -1);
  for (size_t slot = 0; slot < f.order.size(); ++slot) {
    const TileCoord tile = f.order[slot];
    if (!is_drawn(f, tile) || !tw::is_inside(f.grid, tile)) continue;
    waves[cell_of(f, tile)] = static_cast<int64_t>(slot) / f.ctas;
  }
  return waves;
}

}  // namespace

void color_waves(GridFrame& f) {
  if (f.ctas == 0) return;
  WavePairs touching;
  add_touching_waves(drawn_waves(f), f.columns, touching);
  const auto slots = static_cast<int64_t>(f.order.size());
  f.wave_colors = wave_colors((slots + f.ctas - 1) / f.ctas, std::move(touching));
}

Point axis_margin(const GridFrame& f) {
  return {row_label_width(f) + 26, 40};
}

std::vector<SceneItem> tile_items(const GridFrame& f) {
  std::vector<int> values(static_cast<size_t>(f.rows) * static_cast<size_t>(f.columns), kNothing);
  for (size_t slot = 0; slot < f.order.size(); ++slot) {
    const TileCoord tile = f.order[slot];
    if (!is_drawn(f, tile)) continue;
    const size_t at = cell_of(f, tile);
    if (!tw::is_inside(f.grid, tile)) {
      values[at] = kOverhangValue;
    } else {
      values[at] = color_index(f, slot);
    }
  }
  std::vector<SceneItem> items;
  for (const TileArea& area : merge_areas(values, f.columns)) {
    if (area.value == kNothing) continue;
    RectangleItem item{.role = "overhang",
                       .at = corner(f, f.first.m + area.m, f.first.n + area.n),
                       .width = area.columns * f.cell_width,
                       .height = area.rows * f.cell_height};
    if (area.value == kOverhangValue) {
      item.style = {.fill = palette::kOverhang, .hatch = palette::kHatch};
    } else {
      const char* const role = !f.heat.empty() ? "heat" : f.ctas > 0 ? "wave" : "slots";
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
      items.push_back(line(role, corner(f, m, f.first.n), corner(f, m, end.n), color, width));
    }
    for (int n = (f.first.n / every_n + 1) * every_n; n < end.n; n += every_n) {
      items.push_back(line(role, corner(f, f.first.m, n), corner(f, end.m, n), color, width));
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
  items.push_back(RectangleItem{.role = "outline",
                                .at = f.origin,
                                .width = std::min(f.grid.n - f.first.n, f.columns) * f.cell_width,
                                .height = std::min(f.grid.m - f.first.m, f.rows) * f.cell_height,
                                .style = {.stroke = palette::kInk, .stroke_width = 1.8}});
  return items;
}

std::vector<SceneItem> path_items(const GridFrame& f) {
  std::vector<SceneItem> jumps;
  std::vector<SceneItem> steps;
  std::vector<SceneItem> heads;
  const double head = std::clamp(cell_size(f) * 0.16, 4.0, 9.0);
  // At a few pixels a tile the path must not hide the waves.
  const bool tiny = cell_size(f) < 5;
  for (const std::span<const TileCoord> stretch : drawn_stretches(f)) {
    for (const PathRun& run : path_runs(stretch)) {
      if (tiny && run.jump) continue;
      PathItem path{.role = run.jump ? "path.jump" : "path.step", .points = {}};
      for (const TileCoord tile : run.corners) path.points.push_back(center(f, tile));
      path.style.stroke = palette::with_alpha(palette::kInk, run.jump ? 105 : tiny ? 110 : 235);
      path.style.stroke_width = path_width(f) * (run.jump ? 0.6 : 1);
      if (cell_size(f) >= 20 && !run.jump) {
        for (size_t i = 1; i < path.points.size(); ++i) {
          heads.push_back(arrow_head(path.points[i - 1], path.points[i], head, "path.head"));
        }
      }
      (run.jump ? jumps : steps).push_back(std::move(path));
    }
  }
  std::vector<SceneItem> items = std::move(jumps);
  items.insert(items.end(), steps.begin(), steps.end());
  items.insert(items.end(), heads.begin(), heads.end());
  if (f.order.size() > 1 && is_drawn(f, f.order.back())) {
    items.push_back(end_marker(center(f, f.order.back()), marker_radius(f)));
  }
  if (is_drawn(f, f.order.front())) {
    items.push_back(start_marker(center(f, f.order.front()), marker_radius(f)));
  }
  return items;
}

// Row after row, so that files stay small.
std::vector<size_t> slots_by_place(const GridFrame& f) {
  std::vector<size_t> slots;
  for (size_t slot = 0; slot < f.order.size(); ++slot) {
    if (is_drawn(f, f.order[slot])) slots.push_back(slot);
  }
  std::stable_sort(slots.begin(), slots.end(), [&](size_t a, size_t b) {
    const TileCoord& p = f.order[a];
    const TileCoord& q = f.order[b];
    return p.m != q.m ? p.m < q.m : p.n < q.n;
  });
  return slots;
}

// "tile 3,5: slot 53, wave 1, CTA 21".
std::string hover_text(const GridFrame& f, size_t slot) {
  const TileCoord tile = f.order[slot];
  std::string text = format("{} {},{}: slot {}", tw::is_inside(f.grid, tile) ? "tile" : "overhang",
                            tile.m, tile.n, slot);
  const auto number = static_cast<int64_t>(slot);
  if (f.ctas > 0) text += format(", wave {}, CTA {}", number / f.ctas, number % f.ctas);
  return text;
}

std::vector<SceneItem> slot_items(const GridFrame& f) {
  // Left of the path, which runs through the middle.
  const double inset = cell_size(f) * 0.07;
  const double room = cell_size(f) / 2 - inset - path_width(f);
  const std::string widest = format("{}", f.order.size() - 1);
  constexpr double kHaloBeside = 0.18;  // of the size
  const double size = std::min(12.5, room / (text_width(widest, 1) + kHaloBeside));
  std::vector<SceneItem> items;
  for (const size_t slot : slots_by_place(f)) {
    const TileCoord tile = f.order[slot];
    const Point at = corner(f, tile.m, tile.n);
    const bool inside = tw::is_inside(f.grid, tile);
    items.push_back(HoverItem{.role = "tile",
                              .at = at,
                              .width = f.cell_width,
                              .height = f.cell_height,
                              .text = hover_text(f, slot)});
    if (size < 6) continue;
    items.push_back(
        LabelItem{.role = "slot",
                  .at = {at.x + inset, at.y + inset + capital_height(size)},
                  .text = format("{}", slot),
                  .size = size,
                  .color = inside ? palette::kInk : palette::kMuted,
                  .halo = inside ? color_of(f, color_index(f, slot)) : palette::kOverhang});
  }
  return items;
}

std::vector<SceneItem> axis_items(const GridFrame& f) {
  std::vector<SceneItem> items;
  const auto label = [&](Point at, const std::string& text, Anchor anchor, double size, bool bold) {
    items.push_back(LabelItem{.role = "axis",
                              .at = at,
                              .text = text,
                              .size = size,
                              .bold = bold,
                              .anchor = anchor,
                              .color = bold ? palette::kInk : palette::kMuted});
  };
  const TileCoord end = {f.first.m + f.rows, f.first.n + f.columns};
  const int step_n = tick_step(f.cell_width, tick_label_width(end.n) + 6);
  const int step_m = tick_step(f.cell_height, kTickSize + 3);
  // Tiles that are square read best with the same numbers along both axes.
  const int step = f.cell_width == f.cell_height ? std::max(step_n, step_m) : 0;
  for (int n = f.first.n; n < end.n; n += std::max(step, step_n)) {
    label({center(f, {f.first.m, n}).x, f.origin.y - 7}, format("{}", n), Anchor::Middle, kTickSize,
          false);
  }
  for (int m = f.first.m; m < end.m; m += std::max(step, step_m)) {
    label({f.origin.x - 7, center(f, {m, f.first.n}).y + capital_height(kTickSize) / 2},
          format("{}", m), Anchor::End, kTickSize, false);
  }
  // "n" with an arrow to the right above the numbers, "m" with one down beside them.
  const double size = 12;
  const Point n_at = {f.origin.x, f.origin.y - 24};
  const Point m_at = {f.origin.x - row_label_width(f) - 18, f.origin.y + 9};
  label(n_at, "n", Anchor::Start, size, true);
  label(m_at, "m", Anchor::Middle, size, true);
  const Point n_from = {n_at.x + 12, n_at.y - 3};
  const Point n_to = {n_from.x + 22, n_from.y};
  const Point m_from = {m_at.x, m_at.y + 6};
  const Point m_to = {m_from.x, m_from.y + 22};
  items.push_back(line("axis", n_from, n_to, palette::kInk, 1.3));
  items.push_back(line("axis", m_from, m_to, palette::kInk, 1.3));
  items.push_back(arrow_head(n_from, {n_to.x + 22, n_to.y}, 7, "axis"));
  items.push_back(arrow_head(m_from, {m_to.x, m_to.y + 22}, 7, "axis"));
  return items;
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
  if (f.ctas > 0 && f.heat.empty()) {
    std::vector<int> shown(f.wave_colors.size(), -1);
    for (size_t slot = 0; slot < f.order.size(); ++slot) {
      const size_t wave = slot / static_cast<size_t>(f.ctas);
      if (is_drawn(f, f.order[slot]) && tw::is_inside(f.grid, f.order[slot])) {
        shown[wave] = f.wave_colors[wave];
      }
    }
    entries = wave_legend(shown);
  } else if (f.heat.empty()) {
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
  if (f.cluster.m * f.cluster.n > 1) {
    swatch("cluster", {.stroke = palette::with_alpha(palette::kMuted, 190), .stroke_width = 1.4});
  }
  if (f.order.size() > 1) {
    const Point from = {5, kHigh / 2};
    const Point to = {47, kHigh / 2};
    entries.push_back(
        {"path, start to end",
         52,
         {line("legend", from, to, palette::kInk, 1.8), arrow_head(from, to, 7, "legend"),
          end_marker(to, 4.5), start_marker(from, 4.5)}});
  }
  return entries;
}

}  // namespace tilewright
