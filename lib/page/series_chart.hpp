// One number over the runs of a history, with intervals and the places where its level changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "draw/scene.hpp"
#include "stats/sample.hpp"

namespace tilewright {

struct SeriesPoint {
  double value = 0;
  std::optional<Interval> interval = std::nullopt;
  std::string text = {};  // shown when it is pointed at
};

/// From point `at` on the level is another one.
struct SeriesChange {
  size_t at = 0;
  bool is_worse = false;
  std::string text = {};
};

/// `points` in the order of time, at least one.
struct SeriesChart {
  std::string title;
  std::string y_name;
  std::string first_day;
  std::string last_day;
  std::vector<SeriesPoint> points = {};
  std::vector<SeriesChange> changes = {};
};

/// A point a run, evenly from left to right. A level's beginning is a line with its text.
Scene draw_series_chart(const SeriesChart& chart);

}  // namespace tilewright
