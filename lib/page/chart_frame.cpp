#include "page/chart_frame.hpp"

#include <algorithm>
#include <utility>

#include "draw/font_metrics.hpp"
#include "draw/palette.hpp"
#include "draw/value_axis.hpp"

namespace tilewright {
namespace {

constexpr double kTitleText = 14;
constexpr double kGridWidth = 0.7;

}  // namespace

void add_row_tick(const ChartFrame& frame, double y, const std::string& text,
                  std::vector<SceneItem>& items) {
  items.push_back(
      line_item("grid", {frame.begin.x, y}, {frame.end.x, y}, palette::kFaint, kGridWidth));
  items.push_back(axis_label("text", {frame.begin.x - 8, y + 4}, text, Anchor::End, kChartText));
}

void add_column_tick(const ChartFrame& frame, double x, const std::string& text,
                     std::vector<SceneItem>& items) {
  items.push_back(
      line_item("grid", {x, frame.begin.y}, {x, frame.end.y}, palette::kFaint, kGridWidth));
  items.push_back(axis_label("text", {x, frame.end.y + 17}, text, Anchor::Middle, kChartText));
}

Scene chart_scene(const ChartFrame& frame, const std::string& title, std::vector<SceneItem> items) {
  items.insert(items.begin(), axis_label("text", {0, 15}, title, Anchor::Start, kTitleText, true));
  return {.width = std::max(frame.width, text_width(title, kTitleText, true) + 2),
          .height = frame.height,
          .title = title,
          .background = palette::kPaper,
          .items = std::move(items)};
}

}  // namespace tilewright
