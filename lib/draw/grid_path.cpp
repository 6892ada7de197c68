#include "draw/grid_path.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>

#include "base/text.hpp"
#include "draw/coarse_path.hpp"
#include "draw/diagram_page.hpp"
#include "draw/font_metrics.hpp"
#include "draw/legend.hpp"
#include "draw/palette.hpp"
#include "draw/scene.hpp"
#include "draw/wave_strip.hpp"

namespace tilewright {

namespace {

constexpr double kMinNumber = 6;

double path_width(const GridFrame& f) {
  return std::clamp(cell_size(f) * 0.045, 0.6, 2.0);
}

double marker_radius(const GridFrame& f) {
  return std::clamp(cell_size(f) * 0.13, 3.4, 6.5);
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

PathItem run_item(const GridFrame& f, const PathRun& run) {
  PathItem path{.role = run.jump ? "path.jump" : "path.step", .points = {}};
  for (const TileCoord tile : run.corners) path.points.push_back(center(f, tile));
  path.style.stroke = palette::with_alpha(palette::kInk, run.jump ? 105 : 235);
  path.style.stroke_width = path_width(f) * (run.jump ? 0.6 : 1);
  return path;
}

// Draws jumps first, then steps, then arrow heads, which lie on top.
std::vector<SceneItem> fine_path(const GridFrame& f) {
  std::vector<SceneItem> jumps;
  std::vector<SceneItem> steps;
  std::vector<SceneItem> heads;
  const double head = std::clamp(cell_size(f) * 0.16, 4.0, 9.0);
  for (const Stretch& stretch : stretches_of(f, f.rows + f.columns)) {
    for (const PathRun& run : path_runs(stretch.tiles)) {
      PathItem path = run_item(f, run);
      const size_t headed = cell_size(f) >= 20 && !run.jump ? path.points.size() : 0;
      for (size_t i = 1; i < headed; ++i) {
        heads.push_back(arrow_head("path.head", path.points[i - 1], path.points[i], head));
      }
      (run.jump ? jumps : steps).push_back(std::move(path));
    }
  }
  append_items(jumps, std::move(steps));
  append_items(jumps, std::move(heads));
  return jumps;
}

// The slots of one tile, ascending.
using TileSlots = std::vector<size_t>;

// Groups the slots by tile, row after row, so that files stay small.
std::vector<TileSlots> slots_by_place(const GridFrame& f) {
  std::vector<size_t> slots;
  for (size_t slot = 0; slot < f.order.size(); ++slot) {
    if (is_drawn(f, f.order[slot])) slots.push_back(slot);
  }
  std::stable_sort(slots.begin(), slots.end(), [&](size_t a, size_t b) {
    return cell_of(f, f.order[a]) < cell_of(f, f.order[b]);
  });
  std::vector<TileSlots> tiles;
  for (const size_t slot : slots) {
    const bool again = !tiles.empty() && f.order[tiles.back().front()] == f.order[slot];
    if (!again) tiles.emplace_back();
    tiles.back().push_back(slot);
  }
  return tiles;
}

// "53", or "53+2" where two more slots name the tile.
std::string number_text(const TileSlots& slots) {
  if (slots.size() == 1) return format("{}", slots.front());
  return format("{}+{}", slots.front(), slots.size() - 1);
}

// "slot 53, wave 1, CTA 21".
std::string slot_text(const GridFrame& f, size_t slot) {
  const auto number = static_cast<int64_t>(slot);
  std::string text = format("slot {}", slot);
  if (f.bid_x > 0) text += format(", BIDx {}, BIDy {}", number % f.bid_x, number / f.bid_x);
  if (f.ctas > 0) text += format(", wave {}, CTA {}", number / f.ctas, number % f.ctas);
  if (!f.rereads_operands.empty() && is_on_grid(f.grid, f.order[slot])) {
    text += ", " + rereads_text(rereads_of(f, slot));
  }
  return text;
}

// "tile 3,5: slot 53, wave 1, CTA 21"; several slots are listed one after the other.
std::string tooltip_text(const GridFrame& f, const TileSlots& slots) {
  constexpr size_t kShown = 8;
  const TileCoord tile = f.order[slots.front()];
  std::vector<std::string> parts;
  for (size_t i = 0; i < slots.size() && i < kShown; ++i) parts.push_back(slot_text(f, slots[i]));
  if (slots.size() > kShown) parts.emplace_back("...");
  const std::string times = slots.size() > 1 ? format(" {} times", slots.size()) : "";
  return format("{} {},{}{}: {}", is_on_grid(f.grid, tile) ? "tile" : "overhang", tile.m, tile.n,
                times, join(parts, "; "));
}

// The part of a line inside a box, as fractions of the line's length.
struct Inside {
  double begin = 0;
  double end = 1;
};
std::optional<Inside> inside_of(Point a, Point b, const Box& box) {
  Inside part;
  const auto clip = [&](double from, double to, double least, double most) {
    const double d = to - from;
    if (d == 0) return from > least && from < most;
    const double t0 = (least - from) / d;
    const double t1 = (most - from) / d;
    part.begin = std::max(part.begin, std::min(t0, t1));
    part.end = std::min(part.end, std::max(t0, t1));
    return part.begin < part.end;
  };
  if (clip(a.x, b.x, box.left, box.right) && clip(a.y, b.y, box.top, box.bottom)) return part;
  return std::nullopt;
}

struct Segment {
  Point from;
  Point to;
};

// The path's lines that cross each tile, by cell.
std::vector<std::vector<Segment>> lines_by_cell(const GridFrame& f,
                                                const std::vector<SceneItem>& path) {
  std::vector<std::vector<Segment>> lines(static_cast<size_t>(f.rows) *
                                          static_cast<size_t>(f.columns));
  const auto cell_at = [](double at, double origin, double size, int count) {
    return std::clamp(static_cast<int>((at - origin) / size), 0, count - 1);
  };
  for (const SceneItem& item : path) {
    const auto* const p = std::get_if<PathItem>(&item);
    if (p == nullptr || p->closed) continue;
    for (size_t i = 1; i < p->points.size(); ++i) {
      const Point a = p->points[i - 1];
      const Point b = p->points[i];
      const int top = cell_at(std::min(a.y, b.y), f.origin.y, f.cell_height, f.rows);
      const int bottom = cell_at(std::max(a.y, b.y), f.origin.y, f.cell_height, f.rows);
      const int left = cell_at(std::min(a.x, b.x), f.origin.x, f.cell_width, f.columns);
      const int right = cell_at(std::max(a.x, b.x), f.origin.x, f.cell_width, f.columns);
      for (int m = top; m <= bottom; ++m) {
        for (int n = left; n <= right; ++n) {
          lines[static_cast<size_t>(m) * static_cast<size_t>(f.columns) + static_cast<size_t>(n)]
              .push_back({a, b});
        }
      }
    }
  }
  return lines;
}

// A slot number drawn in its tile.
struct Number {
  Point at = {};  // the baseline
  Anchor anchor = Anchor::Start;
  Box box = {};
  bool struck = false;  // true where the path crosses it
  std::string text = {};
  double size = 0;
};

constexpr double kInsideFrame = 2.5;  // extra inset of a number in a framed tile, pixels

// Places the number in the first corner that no line crosses, or in the first corner.
Number place_number(const GridFrame& f, TileCoord tile, double wide, double size,
                    const std::vector<Segment>& lines, double further_in) {
  constexpr double kClear = 0.5;
  const double inset = cell_size(f) * 0.07 + further_in;
  const double high = capital_height(size);
  const Point at = corner(f, tile.m, tile.n);
  const double left = at.x + inset;
  const double right = at.x + f.cell_width - inset;
  const double top = at.y + inset + high;
  const double bottom = at.y + f.cell_height - inset;
  std::array<Number, 4> places = {Number{{left, top}, Anchor::Start},
                                  {{right, top}, Anchor::End},
                                  {{left, bottom}, Anchor::Start},
                                  {{right, bottom}, Anchor::End}};
  for (Number& number : places) {
    const double x = number.anchor == Anchor::Start ? number.at.x : number.at.x - wide;
    number.box = {x - kClear, number.at.y - high - kClear, x + wide + kClear, number.at.y + kClear};
    number.struck = std::any_of(lines.begin(), lines.end(), [&](const Segment& s) {
      return inside_of(s.from, s.to, number.box).has_value();
    });
    if (!number.struck) return number;
  }
  return places.front();
}

// Font size of the numbers in tiles; 0 for none.
double number_size(const GridFrame& f) {
  // Numbers stand beside the path, which runs through the middle; 4 is the widest digit.
  const double room = cell_size(f) / 2 - cell_size(f) * 0.07 - path_width(f);
  const std::string widest(format("{}", f.order.size() - 1).size(), '4');
  const double size = std::min(12.5, room / text_width(widest, 1));
  return size < kMinNumber ? 0 : size;
}

// The slot numbers of the drawn tiles, row by row; empty where the tiles are too small to read
// them.
std::vector<Number> numbers_of(const GridFrame& f, const std::vector<TileSlots>& tiles,
                               const std::vector<SceneItem>& path) {
  std::vector<Number> numbers;
  const double size = is_coarse(f) ? 0 : number_size(f);
  if (size == 0) return numbers;
  const std::vector<std::vector<Segment>> lines = lines_by_cell(f, path);
  for (const TileSlots& slots : tiles) {
    const TileCoord tile = f.order[slots.front()];
    std::string text = number_text(slots);
    double own = size;
    if (slots.size() > 1) {
      const double room = f.cell_width * 0.86 - 2 * kInsideFrame;
      own = std::min(size, room / text_width(text, 1));
      if (own < kMinNumber) text = format("{}", slots.front());
      own = std::max(own, kMinNumber);
    }
    numbers.push_back(place_number(f, tile, text_width(text, own), own, lines[cell_of(f, tile)],
                                   slots.size() > 1 ? kInsideFrame : 0));
    numbers.back().text = text;
    numbers.back().size = own;
  }
  return numbers;
}

// The pieces of the jump outside of the numbers that it crosses.
std::vector<SceneItem> pieces_of(const PathItem& jump, const std::vector<Number>& numbers) {
  const Point from = jump.points.front();
  const Point to = jump.points.back();
  std::vector<Inside> gaps;
  for (const Number& number : numbers) {
    if (!number.struck) continue;
    if (const auto gap = inside_of(from, to, number.box)) gaps.push_back(*gap);
  }
  std::sort(gaps.begin(), gaps.end(),
            [](const Inside& a, const Inside& b) { return a.begin < b.begin; });
  gaps.push_back({1, 1});
  const auto at = [&](double t) {
    return Point{from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t};
  };
  std::vector<SceneItem> pieces;
  double begin = 0;
  for (const Inside& gap : gaps) {
    if (gap.begin > begin) {
      PathItem piece = jump;
      piece.points = {at(begin), at(gap.begin)};
      pieces.push_back(std::move(piece));
    }
    begin = std::max(begin, gap.end);
  }
  return pieces;
}

TileCoord move_between(TileCoord from, TileCoord to) {
  return {to.m - from.m, to.n - from.n};
}

bool is_step(TileCoord move) {
  return std::abs(move.m) + std::abs(move.n) == 1;
}

}  // namespace

std::vector<SceneItem> path_items(const GridFrame& f) {
  if (is_coarse(f)) return coarse_path(f);
  std::vector<SceneItem> path = fine_path(f);
  const std::vector<Number> numbers = numbers_of(f, slots_by_place(f), path);
  std::vector<SceneItem> items;
  for (SceneItem& item : path) {
    const auto* const jump = std::get_if<PathItem>(&item);
    if (jump != nullptr && jump->role == "path.jump") {
      append_items(items, pieces_of(*jump, numbers));
    } else {
      items.push_back(std::move(item));
    }
  }
  if (f.order.size() > 1 && is_drawn(f, f.order.back())) {
    items.push_back(end_marker(center(f, f.order.back()), marker_radius(f)));
  }
  if (is_drawn(f, f.order.front())) {
    items.push_back(start_marker(center(f, f.order.front()), marker_radius(f)));
  }
  return items;
}

std::vector<SceneItem> slot_items(const GridFrame& f) {
  const std::vector<TileSlots> tiles = slots_by_place(f);
  std::vector<Number> numbers;
  if (!is_coarse(f)) numbers = numbers_of(f, tiles, fine_path(f));
  std::vector<SceneItem> items;
  for (size_t i = 0; i < tiles.size(); ++i) {
    const TileCoord tile = f.order[tiles[i].front()];
    items.push_back(TooltipItem{.role = "tile",
                                .at = corner(f, tile.m, tile.n),
                                .width = f.cell_width,
                                .height = f.cell_height,
                                .text = tooltip_text(f, tiles[i])});
    if (numbers.empty()) continue;
    const bool inside = is_on_grid(f.grid, tile);
    LabelItem label{.role = "slot",
                    .at = numbers[i].at,
                    .text = numbers[i].text,
                    .size = numbers[i].size,
                    .anchor = numbers[i].anchor,
                    .color = inside ? palette::kInk : palette::kMuted};
    // Hatching lies behind the whole overhang, so its labels need a halo.
    if (!inside) label.halo = palette::kOverhang;
    items.push_back(std::move(label));
  }
  return items;
}

LegendEntry path_legend(const GridFrame& f) {
  constexpr double kHigh = kLegendSymbolHeight;
  const Point from = {5, kHigh / 2};
  const Point to = {47, kHigh / 2};
  LegendEntry entry{"path, start to end", 52, {}};
  entry.symbol = {line_item("legend", from, to, palette::kInk, 1.8),
                  arrow_head("legend", from, to, 7)};
  if (is_coarse(f)) {
    entry.text = format("path, in strides of {} slots; numbers are slots", coarse_tiles(f));
    return entry;
  }
  entry.symbol.push_back(end_marker(to, 4.5));
  entry.symbol.push_back(start_marker(from, 4.5));
  return entry;
}

std::vector<PathRun> path_runs(std::span<const TileCoord> order) {
  std::vector<PathRun> runs;
  TileCoord last_move;
  for (size_t i = 1; i < order.size(); ++i) {
    const TileCoord move = move_between(order[i - 1], order[i]);
    const bool step = is_step(move);
    if (step && !runs.empty() && !runs.back().jump) {
      if (move == last_move) {
        runs.back().corners.back() = order[i];
      } else {
        runs.back().corners.push_back(order[i]);
      }
    } else {
      runs.push_back({!step, {order[i - 1], order[i]}});
    }
    last_move = move;
  }
  return runs;
}

}  // namespace tilewright
