// Every chart over every kind of extreme data: its marks are finite, few and inside the picture.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "draw/gantt.hpp"
#include "draw/sweep_diagram.hpp"
#include "page/heat_map.hpp"
#include "page/log_chart.hpp"
#include "page/series_chart.hpp"
#include "support/scenes.hpp"

namespace tilewright {
namespace {

using Values = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<Values> extreme_data() {
  const Values extremes = {0,       -5,    5,         1e-300, 1e300,      -1e300, 5e-324,
                           1.7e308, 1e-12, 1 + 1e-15, 1e18,   1e18 + 128, 3};
  std::vector<Values> all = {extremes};
  for (const double a : extremes) {
    all.push_back({a});
    for (const double b : extremes) all.push_back({a, b, a});
  }
  return all;
}

// With values that no file may hold.
std::vector<Values> data_with_gaps() {
  std::vector<Values> all = extreme_data();
  for (const double none : {kNaN, kInfinity, -kInfinity}) {
    all.push_back({none});
    all.push_back({none, 7, none, 9});
  }
  return all;
}

std::string text_of(const Values& values) {
  std::string text;
  for (const double value : values) text += format("{} ", value);
  return text;
}

// Each point of an item.
void for_each_point(const SceneItem& item, const std::function<void(Point)>& look) {
  if (const auto* const path = std::get_if<PathItem>(&item)) {
    for (const Point point : path->points) look(point);
  } else if (const auto* const label = std::get_if<LabelItem>(&item)) {
    look(label->at);
  } else if (const auto* const box = std::get_if<RectangleItem>(&item)) {
    look(box->at);
    look({box->at.x + box->width, box->at.y + box->height});
  } else if (const auto* const tip = std::get_if<TooltipItem>(&item)) {
    look(tip->at);
    look({tip->at.x + tip->width, tip->at.y + tip->height});
  }
}

// What is wrong with a picture of at most `most` items.
std::string fault_of(const std::vector<SceneItem>& items, double width, double height,
                     size_t most) {
  constexpr double kOutside = 16;  // discs and hover areas at an edge
  if (!(width > 0 && width < 1e5 && height > 0 && height < 1e5)) return "the size";
  if (items.size() > most) return format("{} items", items.size());
  std::string fault;
  for (const SceneItem& item : items) {
    for_each_point(item, [&](Point at) {
      const bool is_inside = at.x >= -kOutside && at.x <= width + kOutside && at.y >= -kOutside &&
                             at.y <= height + kOutside;
      if (!is_inside) fault = format("a point at {}, {}", at.x, at.y);
    });
  }
  return fault;
}

TEST_CASE("a logarithmic chart of extreme values has few marks, all inside") {
  for (const Values& values : data_with_gaps()) {
    LogChart chart = predicted_chart();
    for (const double value : values) chart.points.push_back({values.back(), value, false, "x"});
    const Scene scene = draw_log_chart(chart);
    CHECK_MESSAGE(fault_of(scene.items, scene.width, scene.height, 100) == "", text_of(values));
  }
}

TEST_CASE("a series of extreme values has few marks, all inside") {
  for (const Values& values : extreme_data()) {
    SeriesChart chart{.title = "t", .y_name = "us", .first_day = "1", .last_day = "2"};
    for (const double value : values) {
      const double other = 1.5 * value;
      chart.points.push_back(
          {value, Interval{std::min(value, other), std::max(value, other)}, "x"});
    }
    chart.changes = {{0, true, "worse"}};
    const Scene scene = draw_series_chart(chart);
    CHECK_MESSAGE(fault_of(scene.items, scene.width, scene.height, 100) == "", text_of(values));
  }
}

TEST_CASE("a heat map leaves out what is no time, and has a colour for every time") {
  for (const Values& values : data_with_gaps()) {
    HeatMap map{.title = "t", .row_name = "r", .column_name = "c"};
    size_t times = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      map.add(format("{}", i % 3), format("{}", i / 3), values[i]);
      if (std::isfinite(values[i]) && values[i] > 0) ++times;
    }
    CHECK(map.us.size() == times);
    if (times == 0) continue;
    const Scene scene = draw_heat_map(map);
    CHECK_MESSAGE(fault_of(scene.items, scene.width, scene.height, 200) == "", text_of(values));
  }
}

TEST_CASE("a sweep's charts of extreme values have few marks, all inside") {
  for (const Values& values : extreme_data()) {
    for (const bool is_shared : {false, true}) {
      Sweep sweep{.subject = "s", .parameter = "k", .at = {}, .why_not = {}};
      for (size_t i = 0; i < 2; ++i) {
        SweptNumber number{format("n{}", i), {}};
        for (const double value : values) number.values.emplace_back(value);
        if (is_shared) number.chart = "time, us";
        number.series = number.name;
        number.index = i;
        sweep.numbers.push_back(number);
      }
      for (size_t i = 0; i < values.size(); ++i) {
        // The parameter's own extremes.
        const int64_t least = std::numeric_limits<int64_t>::min();
        const int64_t most = std::numeric_limits<int64_t>::max();
        sweep.at.push_back(i == 0                   ? least
                           : i + 1 == values.size() ? most
                                                    : static_cast<int64_t>(i));
        sweep.why_not.emplace_back();
      }
      const Scene scene = sweep_diagram(sweep, {});
      CHECK_MESSAGE(fault_of(scene.items, scene.width, scene.height, 300) == "", text_of(values));
    }
  }
}

TEST_CASE("a time line of extreme begins and ends has few marks, all inside") {
  const Values times = {0, 5e-324, 1e-300, 1e-3, 7, 1e18, 1e18 + 128, 1e300, 1.7e308};
  for (const double begin : times) {
    for (const double end : times) {
      if (end < begin) continue;
      Gantt gantt;
      gantt.lanes = 1;
      gantt.begin_us = begin;
      gantt.end_us = end;
      gantt.spans = {{SpanKind::MainLoop, 0, 0, 0, begin, end, {0, 0, 0}}};
      const PageBlock block = draw_gantt(gantt);
      CHECK_MESSAGE(fault_of(block.items, block.width, block.height, 100) == "",
                    text_of({begin, end}));
    }
  }
}

}  // namespace
}  // namespace tilewright
