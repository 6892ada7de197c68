#include "page/log_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.hpp"
#include "draw/axis_label.hpp"
#include "draw/font_metrics.hpp"
#include "draw/palette.hpp"
#include "page/chart_frame.hpp"

namespace tilewright {
namespace {

constexpr double kWidth = 560;
constexpr double kHeight = 400;
constexpr double kLeft = 62;
constexpr double kRight = 20;
constexpr double kTop = 48;
constexpr double kBottom = 50;
constexpr ChartFrame kFrame = {.width = kWidth,
                               .height = kHeight,
                               .begin = {kLeft, kTop},
                               .end = {kWidth - kRight, kHeight - kBottom}};

// A logarithmic axis from slightly below the least value to slightly above the most.
struct Axis {
  double low = 1;
  double high = 10;
  double begin = 0;  // pixels
  double end = 1;
  double place(double value) const {
    return begin + (end - begin) * std::log(value / low) / std::log(high / low);
  }
  double clamped(double value) const { return place(std::clamp(value, low, high)); }
};

Axis axis_of(const LogChart& chart, double ChartPoint::*coordinate, double begin, double end) {
  constexpr double kRoom = 1.25;
  Axis axis{.low = 1, .high = 10, .begin = begin, .end = end};
  if (chart.points.empty()) return axis;
  const auto less = [coordinate](const ChartPoint& a, const ChartPoint& b) {
    return a.*coordinate < b.*coordinate;
  };
  const auto [least, most] = std::minmax_element(chart.points.begin(), chart.points.end(), less);
  axis.low = (*least).*coordinate / kRoom;
  axis.high = (*most).*coordinate * kRoom;
  // A factor of 5 contains at least two ticks.
  constexpr double kMinReach = 5;
  const double middle = std::sqrt(axis.low * axis.high);
  axis.low = std::min(axis.low, middle / std::sqrt(kMinReach));
  axis.high = std::max(axis.high, middle * std::sqrt(kMinReach));
  return axis;
}

// Powers of ten, and also 2 and 5 times them where the axis is short.
std::vector<double> ticks_of(const Axis& axis) {
  std::vector<double> ticks;
  const bool is_wide = axis.high / axis.low > 300;
  constexpr std::array kSteps = {1.0, 2.0, 5.0};
  const auto first = static_cast<int>(std::floor(std::log10(axis.low)));
  const auto last = static_cast<int>(std::ceil(std::log10(axis.high)));
  for (int power = first; power <= last; ++power) {
    for (const double step : kSteps) {
      const double value = step * std::pow(10, power);
      if (value < axis.low || value > axis.high || (is_wide && step != 1)) continue;
      ticks.push_back(value);
    }
  }
  return ticks;
}

class ChartPainter {
 public:
  explicit ChartPainter(const LogChart& chart)
      : chart_(chart),
        x_(axis_of(chart, &ChartPoint::x, kLeft, kWidth - kRight)),
        y_(axis_of(chart, &ChartPoint::y, kHeight - kBottom, kTop)) {}

  Scene draw() {
    add_legend();
    add_axes();
    for (const ChartLine& line : chart_.lines) add_line(line);
    const size_t count = chart_.points.size();
    const size_t shown = std::min(count, kMaxChartPoints);
    for (size_t i = 0; i < shown; ++i) add_point(chart_.points[i * count / shown]);
    return chart_scene(kFrame, chart_.title, std::move(items_));
  }

 private:
  void add_mark(Point at, bool is_square) {
    constexpr double kSide = 8;
    items_.push_back(
        RectangleItem{.role = is_square ? "square" : "disc",
                      .at = {at.x - kSide / 2, at.y - kSide / 2},
                      .width = kSide,
                      .height = kSide,
                      .radius = is_square ? 0 : kSide / 2,
                      .style = {.fill = is_square ? palette::kFixUp : palette::kReduction,
                                .stroke = palette::kPaper,
                                .stroke_width = 1}});
  }

  void add_legend() {
    double x = kLeft;
    for (const bool is_square : {false, true}) {
      const std::string& name = is_square ? chart_.square_name : chart_.disc_name;
      if (name.empty()) continue;
      add_mark({x + 5, 31}, is_square);
      items_.push_back(axis_label("text", {x + 14, 35}, name, Anchor::Start, kChartText));
      x += 34 + text_width(name, kChartText);
    }
  }

  void add_axes() {
    for (const double tick : ticks_of(x_)) {
      add_column_tick(kFrame, x_.place(tick), format("{:g}", tick), items_);
    }
    for (const double tick : ticks_of(y_)) {
      add_row_tick(kFrame, y_.place(tick), format("{:g}", tick), items_);
    }
    items_.push_back(RectangleItem{.role = "frame",
                                   .at = kFrame.begin,
                                   .width = kFrame.end.x - kFrame.begin.x,
                                   .height = kFrame.end.y - kFrame.begin.y,
                                   .style = {.stroke = palette::kMuted}});
    items_.push_back(axis_label("text", {kFrame.end.x, kFrame.end.y + 38}, chart_.x_name,
                                Anchor::End, kChartText, true));
    items_.push_back(
        axis_label("text", {0, kTop - 10}, chart_.y_name, Anchor::Start, kChartText, true));
  }

  // Samples the line in steps so small that a cut-off corner is below a pixel.
  void add_line(const ChartLine& line) {
    constexpr int kSteps = 200;
    PathItem path{.role = "line",
                  .points = {},
                  .style = {.stroke = line.is_strong ? palette::kInk : palette::kMuted,
                            .stroke_width = line.is_strong ? 1.5 : 0.9}};
    for (size_t i = 1; i < line.points.size(); ++i) {
      const Point a = line.points[i - 1];
      const Point b = line.points[i];
      for (int step = i == 1 ? 0 : 1; step <= kSteps; ++step) {
        const double share = static_cast<double>(step) / kSteps;
        const Point at = {a.x * std::pow(b.x / a.x, share), a.y * std::pow(b.y / a.y, share)};
        if (at.x < x_.low || at.x > x_.high || at.y < y_.low || at.y > y_.high) continue;
        path.points.push_back({x_.place(at.x), y_.place(at.y)});
      }
    }
    if (path.points.size() < 2) return;
    const Point end = path.points.back();
    path.points = thinned(std::move(path.points));
    items_.push_back(std::move(path));
    if (line.text.empty()) return;
    items_.push_back(LabelItem{.role = "text",
                               .at = {std::min(end.x, kWidth - kRight) - 6, end.y - 6},
                               .text = line.text,
                               .size = kChartText,
                               .bold = false,
                               .anchor = Anchor::End,
                               .color = palette::kInk,
                               .halo = palette::kPaper});
  }

  // Keeps the ends and the corners, and drops points on straight lines.
  static std::vector<Point> thinned(std::vector<Point> points) {
    std::vector<Point> kept;
    for (size_t i = 0; i < points.size(); ++i) {
      const bool is_end = i == 0 || i + 1 == points.size();
      if (!is_end) {
        const Point a = points[i - 1];
        const Point b = points[i + 1];
        const Point p = points[i];
        const double bend = (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
        if (std::abs(bend) < 1e-3) continue;
      }
      kept.push_back(points[i]);
    }
    return kept;
  }

  void add_point(const ChartPoint& point) {
    const Point at = {x_.clamped(point.x), y_.clamped(point.y)};
    add_mark(at, point.is_square);
    constexpr double kArea = 14;
    items_.push_back(TooltipItem{.role = "point",
                                 .at = {at.x - kArea / 2, at.y - kArea / 2},
                                 .width = kArea,
                                 .height = kArea,
                                 .text = point.text});
  }

  const LogChart& chart_;
  Axis x_;
  Axis y_;
  std::vector<SceneItem> items_;
};

}  // namespace

LogChart predicted_chart() {
  return {.title = "Predicted against measured",
          .x_name = "predicted, us",
          .y_name = "measured, us",
          .points = {},
          .lines = {{.points = {{1e-2, 1e-2}, {1e8, 1e8}}, .is_strong = true}}};
}

Scene draw_log_chart(const LogChart& chart) {
  return ChartPainter(chart).draw();
}

std::string points_note(size_t points) {
  if (points <= kMaxChartPoints) return {};
  return format(" {} of {} points are drawn, evenly in the order of the table.", kMaxChartPoints,
                points);
}

}  // namespace tilewright
