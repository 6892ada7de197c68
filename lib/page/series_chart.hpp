// One number over the runs of a history, with intervals and the runs where its level changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "draw/scene.hpp"
#include "stats/sample.hpp"

namespace tilewright {

struct SeriesPoint {
  double value = 0;  // finite
  std::optional<Interval> interval = std::nullopt;
  std::string text = {};  // tooltip
};

/// The level changes at point `at`.
struct SeriesChange {
  size_t at = 0;
  bool is_worse = false;
  std::string text = {};
};

/// `points` are in time order, at least one.
struct SeriesChart {
  std::string title;
  std::string y_name;
  std::string first_day;
  std::string last_day;
  std::vector<SeriesPoint> points = {};
  std::vector<SeriesChange> changes = {};
};

/// One point per run, evenly spaced. A vertical line with a text marks each change of level.
Scene draw_series_chart(const SeriesChart& chart);

}  // namespace tilewright
