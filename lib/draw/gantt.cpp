#include "draw/gantt.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"
#include "draw/font_metrics.hpp"
#include "draw/gantt_bars.hpp"
#include "draw/palette.hpp"
#include "draw/value_axis.hpp"

namespace tilewright {

namespace {

constexpr double kBarTextSize = 9.5;
constexpr double kCaptionHeight = 22;
constexpr double kBehindBars = 24;          // space right of the bars, pixels
constexpr double kBelowBare = 4;            // the same without numbers at the axis
constexpr double kMinGanttBar = 1.2;        // pixels; narrower ones in a row are drawn as one
constexpr size_t kMaxBarTooltips = 4'096;   // above, tooltips are per unit, not per bar
constexpr size_t kMaxTooltipBars = 16'384;  // above, bars have none: files would grow too large
constexpr int kJoinedShade = 8;
constexpr double kTextLane = 12;  // bars in lower lanes have no texts, pixels
constexpr size_t kKinds = 8;

double lane_height(int64_t lanes, double most) {
  const double own = lanes <= 10   ? 24
                     : lanes <= 24 ? 18
                     : lanes <= 48 ? 13
                                   : std::max(2.0, std::floor(900.0 / static_cast<double>(lanes)));
  return most > 0 ? fitting_side(own, most / static_cast<double>(lanes), own) : own;
}

// Space left of the bars and above them.
Point chart_margin(const Gantt& g) {
  double labels = text_width(format("{}", std::max<int64_t>(0, g.lanes - 1)), kTickSize);
  for (const std::string& label : g.lane_labels) {
    labels = std::max(labels, text_width(label, kTickSize));
  }
  return {std::ceil(std::max({labels, text_width(g.lane_name, kNameSize, true), g.label_room}) + 8),
          (g.caption.empty() ? 0 : kCaptionHeight) + 20};
}

double below_bars(const Gantt& g) {
  return g.has_numbers ? kBelowBars : kBelowBare;
}

// The GPU that owns the rows of a unit's tile.
int owner_of(const WorkSpan& span, const Gantt& g) {
  return g.owner_of_row[static_cast<size_t>(span.work.m)];
}

Color unit_color(const WorkSpan& span, const Gantt& g) {
  return g.owner_of_row.empty() ? g.colors.fill(span.cta, span.unit_index, span.work.problem)
                                : palette::hue(owner_of(span, g));
}

Style style_of(const WorkSpan& span, const Gantt& g) {
  switch (span.kind) {
    case SpanKind::Launch: return {.fill = palette::kLaunch};
    case SpanKind::MainLoop:
    case SpanKind::Tile: return {.fill = unit_color(span, g)};
    case SpanKind::Padding: return {.fill = palette::kWaste, .hatch = palette::kWasteHatch};
    case SpanKind::Epilogue: return {.fill = palette::kEpilogue};
    case SpanKind::Waiting: return {.fill = palette::kPaper, .hatch = palette::kMuted};
    case SpanKind::FixUp: return {.fill = palette::kFixUp};
    case SpanKind::Reduction: return {.fill = palette::kReduction};
  }
  return {};
}

std::string role_of(SpanKind kind) {
  return format("span.{}", span_name(kind));
}

const Style kJoinedStyle = {.fill = palette::ramp_color(kJoinedShade)};

class GanttPainter {
 public:
  explicit GanttPainter(const Gantt& gantt)
      : g_(gantt),
        height_(lane_height(gantt.lanes, gantt.height)),
        axis_(axis_of(gantt)),
        scale_(axis_.scale()),
        origin_(chart_margin(gantt)) {}

  PageBlock draw() {
    add_frame();
    add_bars();
    add_lane_lines();
    add_texts();
    if (g_.grouped && height_ < kTextLane) add_product_numbers();
    add_axis();
    if (g_.mark_tail) add_tail();
    const double caption = text_width(g_.caption, 13, true);
    return {std::max(origin_.x + g_.width + kBehindBars, caption), bottom() + below_bars(g_),
            std::move(items_)};
  }

 private:
  double bottom() const { return origin_.y + height_ * static_cast<double>(g_.lanes); }
  double top_of(int64_t lane) const { return origin_.y + height_ * static_cast<double>(lane); }
  double x_of(double us) const { return axis_.x_of(us); }

  void add_label(Point at, const std::string& text, double size, bool bold, Anchor anchor,
                 const char* role = "axis") {
    items_.push_back(axis_label(role, at, text, anchor, size, bold));
  }

  void add_line(const char* role, Point from, Point to, Color color, double width) {
    items_.push_back(PathItem{
        .role = role, .points = {from, to}, .style = {.stroke = color, .stroke_width = width}});
  }

  void add_frame() {
    if (!g_.caption.empty()) {
      add_label({0, capital_height(13) + 2}, g_.caption, 13, true, Anchor::Start, "caption");
    }
    items_.push_back(RectangleItem{.role = "idle",
                                   .at = origin_,
                                   .width = g_.width,
                                   .height = bottom() - origin_.y,
                                   .style = {.fill = palette::kOverhang}});
    append_items(items_, tick_lines(axis_, origin_.y, bottom() + 4));
  }

  // Draws one bar where bars on lanes below each other are the same.
  void add_bars() {
    using Key = std::tuple<int64_t, int64_t, std::string, std::string>;
    std::map<Key, size_t> open;
    int64_t lane = 0;
    for (const std::vector<GanttBar>& bars :
         gantt_bars(g_.spans, g_.lanes, kMinGanttBar / scale_)) {
      std::map<Key, size_t> next;
      for (const GanttBar& bar : bars) {
        const double left = x_of(bar.begin_us);
        const double right = x_of(bar.end_us);
        const Style style = bar.joined ? kJoinedStyle : style_of(*bar.span, g_);
        const RectangleItem item{.role = bar.joined ? "span.joined" : role_of(bar.span->kind),
                                 .at = {left, top_of(lane)},
                                 .width = right - left,
                                 .height = height_,
                                 .style = style};
        const Key key = {std::llround(left * 100), std::llround(right * 100), item.role,
                         to_string(*style.fill)};
        const auto above = open.find(key);
        if (above != open.end()) {
          std::get<RectangleItem>(items_[above->second]).height += height_;
          next[key] = above->second;
        } else {
          next[key] = items_.size();
          items_.push_back(item);
        }
      }
      open = std::move(next);
      ++lane;
    }
  }

  void add_lane_lines() {
    if (height_ >= 4) {
      const double width = height_ >= 12 ? 1.4 : 0.6;
      for (int64_t lane = 1; lane < g_.lanes; ++lane) {
        add_line("lane-line", {origin_.x, top_of(lane)}, {origin_.x + g_.width, top_of(lane)},
                 palette::kPaper, width);
      }
    }
    if (height_ < kTextLane) return;
    for (const WorkSpan& span : g_.spans) {
      const double x = x_of(span.begin_us);
      const bool begins = span.kind == SpanKind::MainLoop || span.kind == SpanKind::Tile;
      if (!begins || x_of(span.end_us) - x < 3) continue;
      add_line("unit-line", {x, top_of(span.lane)}, {x, top_of(span.lane) + height_},
               palette::kPaper, 1);
    }
  }

  std::string text_of(const WorkTile& w) const {
    return g_.grouped ? format("{}: {},{}", w.problem, w.m, w.n) : format("{},{}", w.m, w.n);
  }

  // "CTA 3: main-loop of 3,5, unit 1, k-steps 0 to 16, 1.25 to 3.5 us"; several bars show their
  // tile.
  std::string tooltip_text(const GanttBar& first, const GanttBar& last) const {
    const WorkSpan& span = *first.span;
    const std::string times = format("{:.6g} to {:.6g} {}", first.begin_us, last.end_us, g_.unit);
    if (first.joined) return format("several units, {}", times);
    const bool whole = &first != &last;
    std::string text = format("CTA {}: {}", span.cta, whole ? "tile" : span_name(span.kind));
    if (is_unit(span.kind)) {
      text += format("{}{}, ", whole ? " " : " of ", text_of(span.work));
      if (!g_.owner_of_row.empty()) text += format("rows of GPU {}, ", owner_of(span, g_));
      text += format("unit {}", span.unit_index);
      if (span.work.k_end > span.work.k_begin) {
        text += format(", k-steps {} to {}", span.work.k_begin, span.work.k_end);
      }
    }
    return format("{}, {}", text, times);
  }

  // True where both bars belong to the same unit of the same CTA.
  static bool is_of_unit(const GanttBar& a, const GanttBar& b) {
    return !a.joined && !b.joined && is_unit(a.span->kind) && is_unit(b.span->kind) &&
           a.span->cta == b.span->cta && a.span->unit_index == b.span->unit_index;
  }

  // A tooltip per bar, or per unit where there are many bars; the labels of its bars follow
  // it.
  void add_texts() {
    const auto lanes = gantt_bars(g_.spans, g_.lanes, kMinGanttBar / scale_);
    size_t count = 0;
    for (const std::vector<GanttBar>& bars : lanes) count += bars.size();
    int64_t lane = 0;
    for (const std::vector<GanttBar>& bars : lanes) {
      for (size_t i = 0; i < bars.size();) {
        size_t end = i + 1;
        while (count > kMaxBarTooltips && end < bars.size() && is_of_unit(bars[i], bars[end]))
          ++end;
        if (count <= kMaxTooltipBars) add_tooltip(bars[i], bars[end - 1], lane);
        for (; i < end; ++i) {
          if (!bars[i].joined) add_text(*bars[i].span);
        }
      }
      ++lane;
    }
  }

  void add_tooltip(const GanttBar& first, const GanttBar& last, int64_t lane) {
    const double left = x_of(first.begin_us);
    items_.push_back(TooltipItem{.role = "span",
                                 .at = {left, top_of(lane)},
                                 .width = x_of(last.end_us) - left,
                                 .height = height_,
                                 .text = tooltip_text(first, last)});
  }

  void add_text(const WorkSpan& span) {
    const bool works = span.kind == SpanKind::MainLoop || span.kind == SpanKind::Tile;
    const double bar_width = x_of(span.end_us) - x_of(span.begin_us) - 6;
    const std::string text = text_of(span.work);
    if (height_ < kTextLane || !works || text_width(text, kBarTextSize) > bar_width) return;
    items_.push_back(
        LabelItem{.role = "text",
                  .at = {(x_of(span.begin_us) + x_of(span.end_us)) / 2,
                         top_of(span.lane) + (height_ + capital_height(kBarTextSize)) / 2},
                  .text = text,
                  .size = kBarTextSize,
                  .anchor = Anchor::Middle,
                  .color = palette::kInk});
  }

  // Bars of one product on neighbouring lanes, and the time that all of them share.
  struct Run {
    int problem = 0;
    int64_t first_lane = 0;
    int64_t end_lane = 0;
    double begin_us = 0;
    double end_us = 0;
  };

  // Writes a product's number once across the lanes that compute it at the same time.
  void add_product_numbers() {
    std::vector<Run> open;
    std::vector<std::vector<const WorkSpan*>> lanes(static_cast<size_t>(g_.lanes));
    for (const WorkSpan& span : g_.spans) {
      const bool works = span.kind == SpanKind::MainLoop || span.kind == SpanKind::Tile;
      if (works) lanes[static_cast<size_t>(span.lane)].push_back(&span);
    }
    for (int64_t lane = 0; lane < g_.lanes; ++lane) {
      std::vector<Run> next;
      for (const WorkSpan* span : lanes[static_cast<size_t>(lane)]) {
        Run run{span->work.problem, lane, lane + 1, span->begin_us, span->end_us};
        const auto above = std::find_if(open.begin(), open.end(), [&](const Run& other) {
          return other.problem == run.problem && shared_us(other, run) > 0;
        });
        if (above != open.end() && shared_us(*above, run) >= needed_us(run.problem)) {
          run = {run.problem, above->first_lane, lane + 1, std::max(above->begin_us, run.begin_us),
                 std::min(above->end_us, run.end_us)};
          open.erase(above);
        }
        next.push_back(run);
      }
      for (const Run& run : open) add_product_number(run);
      open = std::move(next);
    }
    for (const Run& run : open) add_product_number(run);
  }

  static double shared_us(const Run& a, const Run& b) {
    return std::min(a.end_us, b.end_us) - std::max(a.begin_us, b.begin_us);
  }

  // The time that the number is wide.
  double needed_us(int problem) const {
    return (text_width(format("{}", problem), kBarTextSize) + 4) / scale_;
  }

  void add_product_number(const Run& run) {
    const double high = height_ * static_cast<double>(run.end_lane - run.first_lane);
    if (high < kTextLane || run.end_us - run.begin_us < needed_us(run.problem)) return;
    items_.push_back(
        LabelItem{.role = "text",
                  .at = {x_of((run.begin_us + run.end_us) / 2),
                         top_of(run.first_lane) + (high + capital_height(kBarTextSize)) / 2},
                  .text = format("{}", run.problem),
                  .size = kBarTextSize,
                  .anchor = Anchor::Middle,
                  .color = palette::kInk});
  }

  void add_axis() {
    if (g_.has_numbers) append_items(items_, axis_numbers(axis_, bottom()));
    add_label({0, origin_.y - 8}, g_.lane_name, kNameSize, true, Anchor::Start);
    std::string above;
    int64_t step = 1;
    while (static_cast<double>(step) * height_ < kTickSize + 2) step *= 2;
    for (int64_t lane = 0; lane < g_.lanes; lane += step) {
      const double y = top_of(lane) + height_ / 2 + capital_height(kTickSize) / 2;
      std::string text =
          g_.lane_labels.empty() ? format("{}", lane) : g_.lane_labels[static_cast<size_t>(lane)];
      if (text == above) continue;
      add_label({origin_.x - 7, y}, text, kTickSize, false, Anchor::End);
      above = std::move(text);
    }
    items_.push_back(RectangleItem{.role = "outline",
                                   .at = origin_,
                                   .width = g_.width,
                                   .height = bottom() - origin_.y,
                                   .style = {.stroke = palette::kMuted, .stroke_width = 1}});
  }

  // From when the first multiprocessor runs out of work to the end, above the bars.
  void add_tail() {
    const Tail tail = tail_of(g_.spans, g_.sm_of_lane);
    const double begin = tail.begin_us;
    const double end = tail.end_us;
    if (end <= begin) return;
    const double y = origin_.y - 7;
    for (const double us : {begin, end}) {
      add_line("tail", {x_of(us), y - 4}, {x_of(us), bottom()}, palette::kInk, 1);
    }
    add_line("tail", {x_of(begin), y}, {x_of(end), y}, palette::kInk, 1.4);
    const std::string text = format("tail {:.1f} {}", end - begin, g_.unit);
    const double needed = text_width(text, kTickSize, true) + 10;
    if (x_of(begin) - needed > origin_.x) {
      add_label({x_of(begin) - 6, y + 4}, text, kTickSize, true, Anchor::End, "tail");
    } else if (x_of(end) + needed < origin_.x + g_.width) {
      add_label({x_of(end) + 6, y + 4}, text, kTickSize, true, Anchor::Start, "tail");
    } else {
      add_label({x_of((begin + end) / 2), y + 4}, text, kTickSize, true, Anchor::Middle, "tail");
      std::get<LabelItem>(items_.back()).halo = palette::kPaper;
    }
  }

  const Gantt& g_;
  double height_;
  TimeAxis axis_;
  double scale_;
  Point origin_;
  std::vector<SceneItem> items_;
};

bool joins_bars(const Gantt& g) {
  const auto bars = gantt_bars(g.spans, g.lanes, kMinGanttBar * (g.end_us - g.begin_us) / g.width);
  const auto joined = [](const GanttBar& bar) { return bar.joined; };
  return std::any_of(bars.begin(), bars.end(), [&](const std::vector<GanttBar>& lane) {
    return std::any_of(lane.begin(), lane.end(), joined);
  });
}

}  // namespace

const char* span_name(SpanKind kind) {
  constexpr std::array<const char*, kKinds> kNames = {
      "launch", "main-loop", "tile", "padding", "epilogue", "waiting", "fix-up", "reduction"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<std::string> labels_of_lanes(int64_t resident, int64_t lanes_per_place) {
  std::vector<std::string> labels;
  if (lanes_per_place == 1) return labels;
  const int64_t lanes = resident * lanes_per_place;
  labels.reserve(static_cast<size_t>(lanes));
  for (int64_t lane = 0; lane < lanes; ++lane) {
    labels.push_back(format("{}", lane / lanes_per_place));
  }
  return labels;
}

Tail tail_of(std::span<const WorkSpan> spans, std::span<const int64_t> sm_of_lane) {
  std::map<int64_t, double> end;
  for (const WorkSpan& span : spans) {
    if (!is_unit(span.kind)) continue;
    double& last = end[sm_of_lane.empty() ? span.lane : sm_of_lane[static_cast<size_t>(span.lane)]];
    last = std::max(last, span.end_us);
  }
  if (end.empty()) return {};
  const auto earlier = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [first, last] = std::minmax_element(end.begin(), end.end(), earlier);
  return {first->second, last->second};
}

double last_end_us(std::span<const WorkSpan> spans) {
  double last = 0;
  for (const WorkSpan& span : spans) last = std::max(last, span.end_us);
  return last;
}

void require_drawable_spans(int64_t lanes, int64_t spans) {
  if (lanes > kMaxLanes) {
    throw usage_error(format("a picture holds {} lanes, and {} CTAs run at once: use --ctas {}",
                             kMaxLanes, lanes, kMaxLanes));
  }
  if (spans > kMaxSpans) {
    throw usage_error(format(
        "a picture holds {} pieces of work, and this schedule has {}: draw a smaller problem",
        kMaxSpans, spans));
  }
}

TimeAxis axis_of(const Gantt& g) {
  return {.left = chart_margin(g).x,
          .width = g.width,
          .begin_us = g.begin_us,
          .end_us = g.end_us,
          .unit = g.unit};
}

void set_size(Gantt& g, const AvailableSize& available) {
  if (available.width == 0) return;
  const Point margin = chart_margin(g);
  g.width = std::max(available.width - margin.x - kBehindBars, 1.0);
  if (available.height > 0) g.height = std::max(available.height - margin.y - below_bars(g), 1.0);
}

PageBlock draw_gantt(const Gantt& gantt) {
  return GanttPainter(gantt).draw();
}

std::vector<LegendEntry> gantt_legend(std::span<const Gantt> charts) {
  constexpr std::array<const char*, kKinds> kTexts = {"launch",
                                                      "",
                                                      "",
                                                      "padding: a main loop without a result",
                                                      "epilogue",
                                                      "waiting for its turn",
                                                      "moving a partial tile",
                                                      "second kernel sums"};
  // Between GPUs the only partial tiles are those of other GPUs' rows.
  constexpr const char* kSends = "sends its part to the owner of the rows";
  std::array<bool, kKinds> seen{};
  for (const Gantt& chart : charts) {
    for (const WorkSpan& span : chart.spans) {
      if (span.end_us > span.begin_us) seen[static_cast<size_t>(span.kind)] = true;
    }
  }
  std::vector<LegendEntry> entries;
  for (size_t kind = 0; kind < kKinds; ++kind) {
    if (!seen[kind] || *kTexts[kind] == '\0') continue;
    const WorkSpan span{.kind = static_cast<SpanKind>(kind)};
    Style style = style_of(span, {});
    if (span.kind == SpanKind::Waiting) style.stroke = palette::kFaint;
    const bool sends = span.kind == SpanKind::FixUp && !charts.front().owner_of_row.empty();
    entries.push_back(legend_patch(sends ? kSends : kTexts[kind], style));
  }
  if (std::any_of(charts.begin(), charts.end(), joins_bars)) {
    entries.push_back(legend_patch("several units", kJoinedStyle));
  }
  entries.push_back(legend_patch("idle", {.fill = palette::kOverhang, .stroke = palette::kFaint}));
  return entries;
}

}  // namespace tilewright
