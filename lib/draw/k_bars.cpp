#include "draw/k_bars.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "draw/font_metrics.hpp"
#include "draw/palette.hpp"

namespace tilewright {
namespace {

constexpr double kStepTextSize = 10;
constexpr double kColumnGap = 30;
constexpr double kAxisHeight = 26;

struct KRange {
  int begin = 0;
  int end = 0;
};

struct KBar {
  WorkTile tile;                        // problem and coordinates of the tile
  std::vector<const DealtUnit*> parts;  // ascending in k
  std::vector<KRange> gaps;  // k-steps that no CTA computes, possible in a schedule from a file
  bool divided = false;
};

// The key that identifies a tile and orders the bars.
auto place_of(const WorkTile& w) {
  return std::tuple(w.problem, w.m, w.n);
}

std::vector<KRange> gaps_between(const std::vector<const DealtUnit*>& parts, int k_steps) {
  std::vector<KRange> gaps;
  int reached = 0;
  for (const DealtUnit* dealt : parts) {
    const WorkTile& w = dealt->unit.work;
    if (w.k_begin > reached) gaps.push_back({reached, w.k_begin});
    reached = std::max(reached, w.k_end);
  }
  if (reached < k_steps) gaps.push_back({reached, k_steps});
  return gaps;
}

// Adds bars for the tiles that no CTA computes, and the gaps of the others. Stops one bar above
// kMaxBars.
void add_gaps(const Plan& s, std::vector<KBar>& bars) {
  std::map<std::tuple<int, int, int>, size_t> known;
  for (size_t i = 0; i < bars.size(); ++i) known.emplace(place_of(bars[i].tile), i);
  for (size_t problem = 0; problem < s.problems.size(); ++problem) {
    const PlannedProblem& p = s.problems[problem];
    for (WorkTile at{.problem = static_cast<int>(problem)}; at.m < p.tiles.m; ++at.m) {
      for (at.n = 0; at.n < p.tiles.n && bars.size() <= kMaxBars; ++at.n) {
        if (!is_in_output(s, at.problem, {at.m, at.n})) continue;
        const auto [found, is_new] = known.emplace(place_of(at), bars.size());
        if (is_new) bars.push_back({.tile = at, .parts = {}, .gaps = {}});
        KBar& bar = bars[found->second];
        bar.gaps = gaps_between(bar.parts, p.work.k_steps);
      }
    }
  }
  std::stable_sort(bars.begin(), bars.end(), [](const KBar& a, const KBar& b) {
    return place_of(a.tile) < place_of(b.tile);
  });
}

bool is_part(const Plan& s, const DealtUnit& dealt) {
  const WorkTile& w = dealt.unit.work;
  return dealt.unit.kind == UnitKind::Work &&
         (w.k_begin > 0 || w.k_end < s.problems[static_cast<size_t>(w.problem)].work.k_steps);
}

std::vector<KBar> bars_of(const Plan& s, const std::vector<DealtUnit>& units) {
  std::vector<const DealtUnit*> works;
  for (const DealtUnit& dealt : units) {
    if (dealt.unit.kind == UnitKind::Work) works.push_back(&dealt);
  }
  std::stable_sort(works.begin(), works.end(), [](const DealtUnit* a, const DealtUnit* b) {
    const auto key = [](const WorkTile& w) { return std::tie(w.problem, w.m, w.n, w.k_begin); };
    return key(a->unit.work) < key(b->unit.work);
  });
  std::vector<KBar> bars;
  for (const DealtUnit* dealt : works) {
    const WorkTile& w = dealt->unit.work;
    const bool same = !bars.empty() && place_of(w) == place_of(bars.back().tile);
    if (!same) bars.push_back({.tile = w, .parts = {}, .gaps = {}});
    bars.back().parts.push_back(dealt);
    bars.back().divided = bars.back().divided || is_part(s, *dealt);
  }
  if (s.options.external) add_gaps(s, bars);
  return bars;
}

// All bars; where these are too many, only divided tiles and tiles with gaps, or, if there are
// none, evenly chosen ones.
std::vector<KBar> drawn_bars(std::vector<KBar> bars) {
  constexpr size_t kManyBars = 128;
  if (bars.size() <= kManyBars) return bars;
  const auto whole = [](const KBar& bar) { return !bar.divided && bar.gaps.empty(); };
  if (std::all_of(bars.begin(), bars.end(), whole)) {
    std::vector<KBar> some;
    for (size_t i = 0; i < kManyBars; ++i) some.push_back(bars[i * bars.size() / kManyBars]);
    return some;
  }
  bars.erase(std::remove_if(bars.begin(), bars.end(), whole), bars.end());
  if (bars.size() <= kMaxBars) return bars;
  throw usage_error(
      format("a picture holds the K-bars of {} tiles, and more are divided or incomplete: use "
             "--view grid or gantt",
             kMaxBars));
}

struct Metrics {
  int columns = 1;
  int per_column = 1;
  double label = 0;   // space left of the bars
  double length = 0;  // length of the longest bar
  double height = 0;
  double pitch = 0;
};

Metrics measure(const std::vector<KBar>& bars, double width, double label) {
  Metrics m;
  const auto count = static_cast<int>(bars.size());
  m.columns = std::clamp(ceil_div(count, 36), 1, std::max(1, static_cast<int>(width / 220)));
  m.per_column = ceil_div(count, m.columns);
  m.label = label + 8;
  m.length = std::floor((width - (m.columns - 1) * kColumnGap) / m.columns - m.label);
  m.height = count <= 12 ? 22 : m.per_column <= 72 ? 15 : m.per_column <= 150 ? 9 : 4;
  m.pitch = m.height + (m.height >= 15 ? 15 : m.height >= 9 ? 6 : 2.5);
  return m;
}

class KBarPainter {
 public:
  KBarPainter(const Plan& s, std::vector<KBar> bars, double width)
      : s_(s), bars_(std::move(bars)), reduction_(s.reduction) {
    for (const PlannedProblem& p : s.problems) most_steps_ = std::max(most_steps_, p.work.k_steps);
    double label = text_width("tile", 12, true);
    for (const KBar& bar : bars_) label = std::max(label, text_width(label_of(bar), kTickSize));
    m_ = measure(bars_, width, label);
  }

  PageBlock draw() {
    for (int column = 0; column < m_.columns; ++column) add_axis(column);
    for (size_t i = 0; i < bars_.size(); ++i) add_bar(i);
    const double width = m_.columns * (m_.label + m_.length) + (m_.columns - 1) * kColumnGap + 12;
    return {width, kAxisHeight + m_.per_column * m_.pitch, std::move(items_)};
  }

 private:
  std::string label_of(const KBar& bar) const {
    const WorkTile& w = bar.tile;
    return s_.problems.size() == 1 ? format("{},{}", w.m, w.n)
                                   : format("{}: {},{}", w.problem, w.m, w.n);
  }

  double left_of(int column) const {
    return column * (m_.label + m_.length + kColumnGap) + m_.label;
  }
  double x_of(int column, int k) const { return left_of(column) + m_.length * k / most_steps_; }

  void add_label(const char* role, Point at, const std::string& text, double size, Anchor anchor,
                 Color color, bool bold = false) {
    items_.push_back(LabelItem{.role = role,
                               .at = at,
                               .text = text,
                               .size = size,
                               .bold = bold,
                               .anchor = anchor,
                               .color = color});
  }

  void add_axis(int column) {
    const double y = kAxisHeight - 9;
    add_label("axis", {left_of(column) - 8, y}, "tile", 12, Anchor::End, palette::kInk, true);
    add_label("axis", {left_of(column), y}, "k-step 0", kTickSize, Anchor::Start, palette::kMuted);
    add_label("axis", {left_of(column) + m_.length, y}, format("{}", most_steps_), kTickSize,
              Anchor::End, palette::kMuted);
  }

  void add_bar(size_t index) {
    const KBar& bar = bars_[index];
    const auto column = static_cast<int>(index) / m_.per_column;
    const auto row = static_cast<int>(index) % m_.per_column;
    const double y = kAxisHeight + row * m_.pitch;
    int step = 1;
    while (step * m_.pitch < kTickSize + 2) step *= 2;
    if (row % step == 0) {
      add_label("axis", {left_of(column) - 7, y + m_.height / 2 + capital_height(kTickSize) / 2},
                label_of(bar), kTickSize, Anchor::End, palette::kMuted);
    }
    for (const DealtUnit* dealt : bar.parts) add_part(column, y, *dealt);
    for (const KRange& gap : bar.gaps) add_gap(column, y, bar, gap);
    add_numbers(column, y, bar);
    if (!bar.divided || m_.height < 9) return;
    if (is_turnstile(reduction_)) {
      add_waits(column, y + m_.height, bar);
    } else {
      add_sum(column, y + m_.height, bar);
    }
  }

  void add_part(int column, double y, const DealtUnit& dealt) {
    const WorkTile& w = dealt.unit.work;
    const double x = x_of(column, w.k_begin);
    const double width = x_of(column, w.k_end) - x;
    items_.push_back(
        RectangleItem{.role = is_part(s_, dealt) ? "part" : "whole",
                      .at = {x, y},
                      .width = width,
                      .height = m_.height,
                      .style = {.fill = palette::hue(dealt.unit.cta),
                                .stroke = palette::kPaper,
                                .stroke_width = width < 6 || m_.height < 9 ? 0.4 : 1.2}});
  }

  void add_gap(int column, double y, const KBar& bar, const KRange& gap) {
    const Point at = {x_of(column, gap.begin), y};
    const double width = x_of(column, gap.end) - at.x;
    items_.push_back(RectangleItem{
        .role = "gap", .at = at, .width = width, .height = m_.height, .style = palette::kMissing});
    items_.push_back(TooltipItem{.role = "gap",
                                 .at = at,
                                 .width = width,
                                 .height = m_.height,
                                 .text = format("tile {}: k-steps {} to {} are never computed",
                                                label_of(bar), gap.begin, gap.end)});
  }

  // Writes the CTA's number into every part that has room for it.
  void add_numbers(int column, double y, const KBar& bar) {
    const double size = std::min(kStepTextSize, m_.height * 0.75);
    for (const DealtUnit* dealt : bar.parts) {
      const WorkTile& w = dealt->unit.work;
      const double left = x_of(column, w.k_begin);
      const double right = x_of(column, w.k_end);
      const std::string text = format("{}", dealt->unit.cta);
      items_.push_back(TooltipItem{
          .role = "part",
          .at = {left, y},
          .width = right - left,
          .height = m_.height,
          .text = format("tile {}: CTA {}, unit {}, k-steps {} to {}{}", label_of(bar), text,
                         dealt->unit_index, w.k_begin, w.k_end, reuse_text(*dealt))});
      if (m_.height < 9 || text_width(text, size) + 3 > right - left) continue;
      add_label("text", {(left + right) / 2, y + (m_.height + capital_height(size)) / 2}, text,
                size, Anchor::Middle, palette::kInk);
    }
  }

  double center_of(int column, const DealtUnit& dealt) const {
    const WorkTile& w = dealt.unit.work;
    return (x_of(column, w.k_begin) + x_of(column, w.k_end)) / 2;
  }

  double drop() const { return m_.height >= 15 ? 7 : 3; }

  void add_path(const char* role, std::vector<Point> points, double width) {
    items_.push_back(PathItem{.role = role,
                              .points = std::move(points),
                              .style = {.stroke = palette::kInk, .stroke_width = width}});
  }

  void add_head(const char* role, Point tip, double size) {
    items_.push_back(PathItem{
        .role = role,
        .points = {tip, {tip.x - size * 0.5, tip.y + size}, {tip.x + size * 0.5, tip.y + size}},
        .closed = true,
        .style = {.fill = palette::kInk}});
  }

  // An arrow from every part to the next part of the tile.
  void add_waits(int column, double y, const KBar& bar) {
    for (size_t i = 1; i < bar.parts.size(); ++i) {
      const WorkTile& before = bar.parts[i - 1]->unit.work;
      if (before.k_end != bar.parts[i]->unit.work.k_begin) continue;
      const double from = center_of(column, *bar.parts[i - 1]);
      const double to = center_of(column, *bar.parts[i]);
      const double apart = std::min(3.0, (to - from) / 5);
      add_path("wait",
               {{from + apart, y},
                {from + apart, y + drop()},
                {to - apart, y + drop()},
                {to - apart, y + 1}},
               apart < 2 ? 0.6 : 1.2);
      if (apart >= 2 && drop() > 4) add_head("wait.head", {to - apart, y + 0.5}, 5.5);
    }
  }

  // Joins all parts by a line with a circle; a square means that a second kernel sums the parts.
  void add_sum(int column, double y, const KBar& bar) {
    const double from = center_of(column, *bar.parts.front());
    const double to = center_of(column, *bar.parts.back());
    const double width = (to - from) / static_cast<double>(bar.parts.size()) < 8 ? 0.6 : 1.2;
    for (const DealtUnit* dealt : bar.parts) {
      const double x = center_of(column, *dealt);
      add_path("sum.part", {{x, y}, {x, y + drop()}}, width);
    }
    add_path("sum", {{from, y + drop()}, {to, y + drop()}}, 1.4);
    if (drop() < 4) return;
    const double side = 3;
    items_.push_back(RectangleItem{
        .role = "sum.place",
        .at = {(from + to) / 2 - side, y + drop() - side},
        .width = 2 * side,
        .height = 2 * side,
        .radius = tw::sums_later(reduction_) ? 0 : side,
        .style = {.fill = palette::kPaper, .stroke = palette::kInk, .stroke_width = 1.4}});
  }

  const Plan& s_;
  std::vector<KBar> bars_;
  Reduction reduction_;
  int most_steps_ = 1;
  Metrics m_;
  std::vector<SceneItem> items_;
};

}  // namespace

bool has_parts(const Plan& s, const std::vector<DealtUnit>& units) {
  return std::any_of(units.begin(), units.end(),
                     [&](const DealtUnit& dealt) { return is_part(s, dealt); });
}

PageBlock k_bars(const Plan& s, const std::vector<DealtUnit>& units, double width) {
  std::vector<KBar> all = bars_of(s, units);
  const size_t count = all.size();
  std::vector<KBar> drawn = drawn_bars(std::move(all));
  const size_t left_out = count - drawn.size();
  const std::string caption =
      has_parts(s, units) ? format("{} whole tiles are not drawn", left_out)
                          : format("no tile is divided: {} of {} whole tiles", drawn.size(), count);
  PageBlock block = KBarPainter(s, std::move(drawn), width).draw();
  if (left_out == 0) return block;
  return stack_blocks({text_block({caption}), std::move(block)}, 10);
}

std::vector<LegendEntry> k_bars_legend(const Plan& s, const std::vector<DealtUnit>& units) {
  std::vector<LegendEntry> entries;
  const std::vector<KBar> bars = bars_of(s, units);
  if (std::any_of(bars.begin(), bars.end(), [](const KBar& bar) { return !bar.gaps.empty(); })) {
    entries.push_back(legend_patch("never computed", palette::kMissing));
  }
  if (!has_parts(s, units)) return entries;
  const Reduction reduction = s.reduction;
  constexpr double kMiddle = kLegendSymbolHeight - 5;
  LegendEntry entry{tw::record_of(reduction).meaning, 34, {}};
  const auto add = [&](std::vector<Point> points) {
    entry.symbol.push_back(PathItem{.role = "legend",
                                    .points = std::move(points),
                                    .style = {.stroke = palette::kInk, .stroke_width = 1.2}});
  };
  if (is_turnstile(reduction)) {
    add({{4, 1}, {4, kMiddle}, {28, kMiddle}, {28, 3}});
    entry.symbol.push_back(PathItem{.role = "legend",
                                    .points = {{28, 1}, {25.2, 6.5}, {30.8, 6.5}},
                                    .closed = true,
                                    .style = {.fill = palette::kInk}});
  } else {
    add({{4, 1}, {4, kMiddle}});
    add({{30, 1}, {30, kMiddle}});
    add({{4, kMiddle}, {30, kMiddle}});
    entry.symbol.push_back(RectangleItem{
        .role = "legend",
        .at = {14, kMiddle - 3},
        .width = 6,
        .height = 6,
        .radius = tw::sums_later(reduction) ? 0.0 : 3.0,
        .style = {.fill = palette::kPaper, .stroke = palette::kInk, .stroke_width = 1.4}});
  }
  entries.push_back(entry);
  return entries;
}

}  // namespace tilewright
