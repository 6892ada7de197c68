#include "page/log_chart.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/number_range.hpp"
#include "base/text.hpp"
#include "draw/font_metrics.hpp"
#include "draw/palette.hpp"
#include "draw/value_axis.hpp"
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
    const double whole = std::log(high) - std::log(low);
    return begin + (end - begin) * (std::log(value) - std::log(low)) / whole;
  }
  double clamped(double value) const { return place(std::clamp(value, low, high)); }
};

std::vector<ChartPoint> points_on_axes(const LogChart& chart) {
  const auto is_on_axis = [](double value) { return holds(NumberRange::Positive, value); };
  std::vector<ChartPoint> points;
  std::copy_if(chart.points.begin(), chart.points.end(), std::back_inserter(points),
               [&](const ChartPoint& point) { return is_on_axis(point.x) && is_on_axis(point.y); });
  return points;
}

Axis axis_of(const std::vector<ChartPoint>& points, double ChartPoint::*coordinate, double begin,
             double end) {
  constexpr double kRoom = 1.25;
  Axis axis{.low = 1, .high = 10, .begin = begin, .end = end};
  if (points.empty()) return axis;
  const auto less = [coordinate](const ChartPoint& a, const ChartPoint& b) {
    return a.*coordinate < b.*coordinate;
  };
  const auto [least, most] = std::minmax_element(points.begin(), points.end(), less);
  // Within these, neither the room nor a product of ends overflows or vanishes.
  constexpr double kLeast = 1e-300;
  constexpr double kMost = 1e300;
  axis.low = std::clamp((*least).*coordinate / kRoom, kLeast, kMost);
  axis.high = std::clamp((*most).*coordinate * kRoom, kLeast, kMost);
  // A factor of 5 contains at least two ticks.
  constexpr double kMinReach = 5;
  const double middle = std::sqrt(axis.low) * std::sqrt(axis.high);
  axis.low = std::min(axis.low, middle / std::sqrt(kMinReach));
  axis.high = std::max(axis.high, middle * std::sqrt(kMinReach));
  return axis;
}

class ChartPainter {
 public:
  explicit ChartPainter(const LogChart& chart)
      : chart_(chart),
        points_(points_on_axes(chart)),
        x_(axis_of(points_, &ChartPoint::x, kLeft, kWidth - kRight)),
        y_(axis_of(points_, &ChartPoint::y, kHeight - kBottom, kTop)) {}

  Scene draw() {
    add_legend();
    add_axes();
    for (const ChartLine& line : chart_.lines) add_line(line);
    const size_t count = points_.size();
    const size_t shown = std::min(count, kMaxChartPoints);
    for (size_t i = 0; i < shown; ++i) add_point(points_[i * count / shown]);
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
    for (const double tick : powers_in(x_.low, x_.high)) {
      add_column_tick(kFrame, x_.place(tick), format("{:g}", tick), items_);
    }
    for (const double tick : powers_in(y_.low, y_.high)) {
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
  std::vector<ChartPoint> points_;
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
