#include "page/heat_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/number_range.hpp"
#include "base/text.hpp"
#include "draw/font_metrics.hpp"
#include "draw/palette.hpp"
#include "draw/value_axis.hpp"
#include "page/chart_frame.hpp"

namespace tilewright {
namespace {

constexpr double kCellHeight = 24;
constexpr double kHeatTop = 74;
constexpr double kBaseline = 16;  // baseline of a cell's text, from the cell's top

using Best = std::map<std::string, double>;

std::vector<std::string> by_best(const Best& best, size_t most) {
  std::vector<std::string> names;
  names.reserve(best.size());
  for (const auto& one : best) names.push_back(one.first);
  std::stable_sort(names.begin(), names.end(),
                   [&best](const auto& a, const auto& b) { return best.at(a) < best.at(b); });
  names.resize(std::min(names.size(), most));
  return names;
}

void keep_least(Best& best, const std::string& name, double us) {
  const auto known = best.emplace(name, us).first;
  known->second = std::min(known->second, us);
}

double widest(const std::vector<std::string>& names) {
  double width = 0;
  for (const std::string& name : names) width = std::max(width, text_width(name, kChartText));
  return width;
}

class HeatPainter {
 public:
  explicit HeatPainter(const HeatMap& map) : map_(map) {
    Best column_best;
    for (const auto& [place, us] : map.us) keep_least(column_best, place.second, us);
    columns_ = by_best(column_best, kMaxHeatColumns);
    Best row_best;
    for (const auto& [place, us] : map.us) {
      const bool is_shown =
          std::find(columns_.begin(), columns_.end(), place.second) != columns_.end();
      if (!is_shown) continue;
      keep_least(row_best, place.first, us);
      least_ = least_ == 0 ? us : std::min(least_, us);
      most_ = std::max(most_, us);
    }
    rows_ = by_best(row_best, kMaxHeatRows);
    cell_width_ = std::max(58.0, widest(columns_) + 14);
    const double left = std::max(widest(rows_), text_width(map.row_name, kChartText, true)) + 24;
    frame_.begin = {left, kHeatTop};
    frame_.end = {left + cell_width_ * static_cast<double>(columns_.size()),
                  kHeatTop + kCellHeight * static_cast<double>(rows_.size())};
    frame_.width = std::max(frame_.end.x, left + text_width(map.column_name, kChartText, true)) + 2;
    frame_.height = frame_.end.y + 2;
  }

  Scene draw() {
    add_label({frame_.begin.x - 8, kHeatTop - 7}, map_.row_name, Anchor::End, true);
    add_label({frame_.begin.x, kHeatTop - 25}, map_.column_name, Anchor::Start, true);
    for (size_t row = 0; row < rows_.size(); ++row) {
      add_label({frame_.begin.x - 8, corner(row, 0).y + kBaseline}, rows_[row], Anchor::End);
    }
    for (size_t column = 0; column < columns_.size(); ++column) {
      add_label({corner(0, column).x + cell_width_ / 2, kHeatTop - 7}, columns_[column],
                Anchor::Middle);
      for (size_t row = 0; row < rows_.size(); ++row) add_cell(row, column);
    }
    return chart_scene(frame_, map_.title, std::move(items_));
  }

 private:
  Point corner(size_t row, size_t column) const {
    return {frame_.begin.x + cell_width_ * static_cast<double>(column),
            frame_.begin.y + kCellHeight * static_cast<double>(row)};
  }

  void add_label(Point at, const std::string& text, Anchor anchor, bool bold = false) {
    items_.push_back(axis_label("text", at, text, anchor, kChartText, bold));
  }

  void add_cell(size_t row, size_t column) {
    const Point at = corner(row, column);
    const auto found = map_.us.find({rows_[row], columns_[column]});
    RectangleItem cell{.role = "cell",
                       .at = at,
                       .width = cell_width_,
                       .height = kCellHeight,
                       .style = {.stroke = palette::kFaint}};
    if (found == map_.us.end()) {
      items_.push_back(std::move(cell));
      return;
    }
    const double us = found->second;
    cell.style.fill = palette::heat_color(step_of(us));
    items_.push_back(std::move(cell));
    items_.push_back(TooltipItem{
        .role = "heat",
        .at = at,
        .width = cell_width_,
        .height = kCellHeight,
        .text = format("{} {}, {} {}: {:.4g} us, {:.3f} times the shortest", map_.row_name,
                       rows_[row], map_.column_name, columns_[column], us, us / least_)});
    LabelItem value = axis_label("text", {at.x + cell_width_ / 2, at.y + kBaseline},
                                 format("{:.4g}", us), Anchor::Middle, kChartText, us == least_);
    value.color = palette::kInk;
    items_.push_back(std::move(value));
  }

  // Scales from the least time to the most, or to 1.05 times the least if the most is below that.
  // Only the lighter half of the ramp is used, on which ink is legible.
  int step_of(double us) const {
    constexpr double kStrongest = palette::kRampSteps / 2.0;
    constexpr double kWorthALook = 1.05;
    const double most = std::max(times_least(most_), kWorthALook) - 1;
    return static_cast<int>(std::lround((times_least(us) - 1) / most * kStrongest));
  }

  double times_least(double us) const {
    return std::min(us / least_, std::numeric_limits<double>::max());
  }

  const HeatMap& map_;
  double least_ = 0;  // least time of the columns shown
  double most_ = 0;
  std::vector<std::string> rows_;
  std::vector<std::string> columns_;
  double cell_width_ = 0;
  ChartFrame frame_;
  std::vector<SceneItem> items_;
};

}  // namespace

void HeatMap::add(const std::string& row, const std::string& column, double time_us) {
  if (!holds(NumberRange::Positive, time_us)) return;
  const auto known = us.emplace(std::pair(row, column), time_us).first;
  known->second = std::min(known->second, time_us);
}

Scene draw_heat_map(const HeatMap& map) {
  return HeatPainter(map).draw();
}

}  // namespace tilewright
