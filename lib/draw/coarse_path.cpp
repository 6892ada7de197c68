#include "draw/coarse_path.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "draw/diagram_page.hpp"
#include "draw/font_metrics.hpp"
#include "draw/legend.hpp"
#include "draw/palette.hpp"
#include "draw/scene.hpp"

namespace tilewright {
namespace {

constexpr double kMinStep = 16;     // pixels; tiles below this size have no single steps
constexpr double kCoarseStep = 36;  // side in pixels of the square that a stride covers
constexpr double kValueSize = 10;
constexpr size_t kFewStretches = 40;  // up to this many, all are drawn wherever their numbers fit

bool goes_on(Point a, Point b, Point c) {
  const double cross = (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
  const double along = (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y);
  return along > 0 && std::abs(cross) < 0.02 * along;
}

// From the first tile through the centres of the groups to the last one.
std::vector<Point> coarse_points(const GridFrame& f, const Stretch& stretch, size_t group) {
  std::vector<Point> points;
  const auto add = [&](Point at) {
    const size_t n = points.size();
    if (n > 0 && std::hypot(at.x - points[n - 1].x, at.y - points[n - 1].y) < 1) return;
    if (n > 1 && goes_on(points[n - 2], points[n - 1], at)) points.pop_back();
    points.push_back(at);
  };
  add(center(f, stretch.tiles.front()));
  for (size_t begin = 0; begin + group <= stretch.tiles.size(); begin += group) {
    Point sum;
    for (const TileCoord tile : stretch.tiles.subspan(begin, group)) {
      const Point at = center(f, tile);
      sum = {sum.x + at.x, sum.y + at.y};
    }
    add({sum.x / static_cast<double>(group), sum.y / static_cast<double>(group)});
  }
  add(center(f, stretch.tiles.back()));
  return points;
}

// Places slot numbers on plates that do not overlap.
class Plates {
 public:
  explicit Plates(const GridFrame& f) : f_(f) {}

  // At the tile's centre, or beside it where the centre is taken; moved inside the drawn area.
  std::optional<Box> place(size_t slot, bool beside) const {
    constexpr std::array<Point, 9> kShifts = {Point{0, 0}, {0, 1},  {0, -1}, {1, 0},  {-1, 0},
                                              {1, 1},      {-1, 1}, {1, -1}, {-1, -1}};
    for (const Point shift : kShifts) {
      const Box box = box_at(slot, shift);
      if (is_free(box)) return box;
      if (!beside) break;
    }
    return std::nullopt;
  }

  void add(size_t slot, const Box& box) {
    taken_.push_back(box);
    items_.push_back(RectangleItem{.role = "path.plate",
                                   .at = {box.left, box.top},
                                   .width = box.right - box.left,
                                   .height = box.bottom - box.top,
                                   .radius = 3,
                                   .style = {.fill = palette::with_alpha(palette::kPaper, 225)}});
    items_.push_back(LabelItem{.role = "path.value",
                               .at = {(box.left + box.right) / 2, box.bottom - 3},
                               .text = format("{}", slot),
                               .size = kValueSize,
                               .anchor = Anchor::Middle,
                               .color = palette::kInk});
  }

  std::vector<SceneItem> take() { return std::move(items_); }

 private:
  bool is_free(const Box& box) const {
    constexpr double kApart = 4;
    const Box wide = {box.left, box.top - kApart, box.right, box.bottom + kApart};
    return std::none_of(taken_.begin(), taken_.end(),
                        [&](const Box& other) { return overlap(wide, other); });
  }

  Box box_at(size_t slot, Point shift) const {
    const Point at = center(f_, f_.order[slot]);
    const double wide = text_width(format("{}", slot), kValueSize) + 6;
    const double high = capital_height(kValueSize) + 6;
    const Point end = {f_.origin.x + f_.columns * f_.cell_width,
                       f_.origin.y + f_.rows * f_.cell_height};
    const double left = std::clamp(at.x + (shift.x - 0.5) * wide, f_.origin.x + 2,
                                   std::max(f_.origin.x + 2, end.x - 2 - wide));
    const double top = std::clamp(at.y + (shift.y - 0.5) * high, f_.origin.y + 2,
                                  std::max(f_.origin.y + 2, end.y - 2 - high));
    return {left, top, left + wide, top + high};
  }

  const GridFrame& f_;
  std::vector<Box> taken_;
  std::vector<SceneItem> items_;
};

// Adds numbers along the way, for a walk of few stretches.
void add_values_between(const GridFrame& f, const std::vector<Stretch>& drawn, Plates& plates) {
  constexpr size_t kFew = 6;
  constexpr double kValues = 16;
  if (drawn.empty() || drawn.size() > kFew) return;
  const double slots = static_cast<double>(f.order.size());
  const auto step = static_cast<size_t>(round_step(std::max(1.0, slots / kValues)));
  for (const Stretch& stretch : drawn) {
    const size_t end = stretch.first + stretch.tiles.size();
    for (size_t slot = (stretch.first / step + 1) * step; slot < end; slot += step) {
      if (const std::optional<Box> box = plates.place(slot, false)) plates.add(slot, *box);
    }
  }
}

}  // namespace

std::vector<Stretch> stretches_of(const GridFrame& f, int most_jump) {
  std::vector<Stretch> stretches;
  const std::span<const TileCoord> order = f.order;
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    while (end < order.size() && is_drawn(f, order[end])) {
      const bool far = end > begin && std::abs(order[end].m - order[end - 1].m) +
                                              std::abs(order[end].n - order[end - 1].n) >
                                          most_jump;
      if (far) break;
      ++end;
    }
    if (end > begin) stretches.push_back({begin, order.subspan(begin, end - begin)});
    begin = std::max(end, begin + 1);
  }
  return stretches;
}

bool is_coarse(const GridFrame& f) {
  return cell_size(f) < kMinStep;
}

size_t coarse_tiles(const GridFrame& f) {
  size_t tiles = 1;
  const double area = f.cell_width * f.cell_height;
  while (static_cast<double>(tiles) * area < kCoarseStep * kCoarseStep) tiles *= 4;
  return tiles;
}

std::vector<SceneItem> coarse_path(const GridFrame& f) {
  constexpr double kHead = 6;
  const size_t group = coarse_tiles(f);
  Plates plates(f);
  std::vector<SceneItem> items;
  std::vector<SceneItem> heads;
  std::vector<Stretch> drawn;
  const std::vector<Stretch> all = stretches_of(f, std::max(4, std::max(f.rows, f.columns) / 4));
  for (const Stretch& stretch : all) {
    const size_t last = stretch.first + stretch.tiles.size() - 1;
    const bool beside = all.size() <= kFewStretches;
    const std::optional<Box> begin = plates.place(stretch.first, beside);
    const std::optional<Box> end = plates.place(last, beside);
    if (!begin || !end || overlap(*begin, *end)) continue;
    plates.add(stretch.first, *begin);
    plates.add(last, *end);
    drawn.push_back(stretch);
    PathItem path{
        .role = "path.coarse",
        .points = coarse_points(f, stretch, group),
        .style = {.stroke = palette::with_alpha(palette::kInk, 200), .stroke_width = 1.3}};
    for (size_t i = 1; i < path.points.size(); ++i) {
      const Point from = path.points[i - 1];
      const Point to = path.points[i];
      if (std::hypot(to.x - from.x, to.y - from.y) < 3 * kHead) continue;
      heads.push_back(arrow_head("path.head", from, to, kHead));
    }
    items.push_back(std::move(path));
  }
  append_items(items, std::move(heads));
  add_values_between(f, drawn, plates);
  append_items(items, plates.take());
  return items;
}

}  // namespace tilewright
