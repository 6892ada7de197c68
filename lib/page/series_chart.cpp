#include "page/series_chart.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "draw/palette.hpp"
#include "draw/value_axis.hpp"
#include "page/chart_frame.hpp"

namespace tilewright {
namespace {

// Values beyond are drawn at this magnitude, so that a difference of values is finite.
double bounded(double value) {
  constexpr double kMost = 1e300;
  return std::clamp(value, -kMost, kMost);
}

// The range of the values and their intervals, with a margin.
Interval range_of(const SeriesChart& chart) {
  Interval range{bounded(chart.points.front().value), bounded(chart.points.front().value)};
  for (const SeriesPoint& point : chart.points) {
    const Interval ends = point.interval.value_or(Interval{point.value, point.value});
    range.low = std::min({range.low, bounded(point.value), bounded(ends.low)});
    range.high = std::max({range.high, bounded(point.value), bounded(ends.high)});
  }
  const double least_room = 1e-3 * std::max(std::abs(range.high), 1e-300);
  const double room = std::max(0.08 * (range.high - range.low), least_room);
  return {range.low - room, range.high + room};
}

class SeriesPainter {
 public:
  explicit SeriesPainter(const SeriesChart& chart) : chart_(chart), range_(range_of(chart)) {}

  Scene draw() {
    add_label({0, kTop - 8}, chart_.y_name, Anchor::Start);
    add_axes();
    for (const SeriesChange& change : chart_.changes) add_change(change);
    for (size_t i = 0; i < chart_.points.size(); ++i) add_point(i);
    return chart_scene(kFrame, chart_.title, std::move(items_));
  }

 private:
  static constexpr double kWidth = 860;
  static constexpr double kHeight = 260;
  static constexpr double kLeft = 70;
  static constexpr double kRight = 16;
  static constexpr double kTop = 58;
  static constexpr double kBottom = 32;
  static constexpr ChartFrame kFrame = {.width = kWidth,
                                        .height = kHeight,
                                        .begin = {kLeft, kTop},
                                        .end = {kWidth - kRight, kHeight - kBottom}};

  double x_of(size_t at) const {
    const auto count = static_cast<double>(chart_.points.size());
    return kLeft + (kWidth - kLeft - kRight) * (static_cast<double>(at) + 0.5) / count;
  }

  double y_of(double value) const {
    const double share = (bounded(value) - range_.low) / (range_.high - range_.low);
    return kHeight - kBottom - (kHeight - kBottom - kTop) * share;
  }

  void add_label(Point at, const std::string& text, Anchor anchor) {
    items_.push_back(axis_label("text", at, text, anchor, kChartText));
  }

  void add_axes() {
    const double step = std::pow(10, std::floor(std::log10((range_.high - range_.low) / 2)));
    const double wide = (range_.high - range_.low) / step > 10 ? 5 * step : 2 * step;
    for (const double at : multiples_in(range_.low, range_.high, wide)) {
      add_row_tick(kFrame, y_of(at), format("{:.6g}", at), items_);
    }
    add_label({kLeft, kHeight - 10}, chart_.first_day, Anchor::Start);
    add_label({kWidth - kRight, kHeight - 10}, chart_.last_day, Anchor::End);
  }

  // Labels alternate between two heights, so that neighbouring ones do not overlap.
  void add_change(const SeriesChange& change) {
    const double x = x_of(change.at) - 0.5 * (x_of(1) - x_of(0));
    const Color color = change.is_worse ? palette::kFixUp : palette::kReduction;
    const double y = kTop - 8 - 14 * static_cast<double>(change_count_++ % 2);
    items_.push_back(line_item("change", {x, y + 4}, {x, kHeight - kBottom}, color, 1.5));
    const bool is_left = x > kWidth / 2;
    items_.push_back(LabelItem{.role = "text",
                               .at = {is_left ? x - 6 : x + 6, y + 2},
                               .text = change.text,
                               .size = kChartText,
                               .bold = true,
                               .anchor = is_left ? Anchor::End : Anchor::Start,
                               .color = color});
  }

  void add_point(size_t at) {
    const SeriesPoint& point = chart_.points[at];
    const double x = x_of(at);
    const double y = y_of(point.value);
    constexpr double kSide = 5;
    if (point.interval) {
      items_.push_back(line_item("interval", {x, y_of(point.interval->low)},
                                 {x, y_of(point.interval->high)}, palette::kMuted, 1.2));
    }
    items_.push_back(RectangleItem{.role = "disc",
                                   .at = {x - kSide / 2, y - kSide / 2},
                                   .width = kSide,
                                   .height = kSide,
                                   .radius = kSide / 2,
                                   .style = {.fill = palette::kInk}});
    const double half = std::max(3.0, (x_of(1) - x_of(0)) / 2);
    items_.push_back(TooltipItem{.role = "point",
                                 .at = {x - half, kTop},
                                 .width = 2 * half,
                                 .height = kHeight - kBottom - kTop,
                                 .text = point.text});
  }

  const SeriesChart& chart_;
  Interval range_;
  size_t change_count_ = 0;
  std::vector<SceneItem> items_;
};

}  // namespace

Scene draw_series_chart(const SeriesChart& chart) {
  return SeriesPainter(chart).draw();
}

}  // namespace tilewright
