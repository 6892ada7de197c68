#include "draw/time_axis.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "draw/diagram_page.hpp"
#include "draw/font_metrics.hpp"
#include "draw/palette.hpp"
#include "draw/value_axis.hpp"

namespace tilewright {

double TimeAxis::scale() const {
  constexpr double kMinSpan = 1e-6;  // us, where all work takes no time
  return width / std::max(end_us - begin_us, kMinSpan);
}

std::vector<double> ticks_of(const TimeAxis& axis) {
  const double step = round_step((axis.end_us - axis.begin_us) / std::max(5.0, axis.width / 90));
  return multiples_in(axis.begin_us, axis.end_us, step);
}

std::vector<SceneItem> tick_lines(const TimeAxis& axis, double top, double bottom) {
  std::vector<SceneItem> items;
  for (const double us : ticks_of(axis)) {
    items.push_back(
        line_item("tick", {axis.x_of(us), top}, {axis.x_of(us), bottom}, palette::kFaint, 1));
  }
  return items;
}

std::vector<SceneItem> axis_numbers(const TimeAxis& axis, double bottom) {
  std::vector<SceneItem> items;
  const double right = axis.left + axis.width;
  const double end = right - text_width(axis.unit, kNameSize) - 6;
  for (const double us : ticks_of(axis)) {
    const std::string text = format("{:.6g}", us + 0.0);
    if (axis.x_of(us) + text_width(text, kTickSize) / 2 > end) continue;
    items.push_back(
        axis_label("axis", {axis.x_of(us), bottom + 18}, text, Anchor::Middle, kTickSize));
  }
  items.push_back(
      axis_label("axis", {right, bottom + 18}, axis.unit, Anchor::End, kNameSize, true));
  return items;
}

}  // namespace tilewright
