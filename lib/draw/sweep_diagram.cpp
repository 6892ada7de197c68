#include "draw/sweep_diagram.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "draw/diagram_page.hpp"
#include "draw/font_metrics.hpp"
#include "draw/palette.hpp"
#include "draw/series_look.hpp"
#include "draw/value_axis.hpp"

namespace tilewright {
namespace {

constexpr double kMarkSize = 12;
constexpr double kPlotWidth = 680;  // width of the plotted area
constexpr double kName = 18;        // height of a chart's name
constexpr double kPlotHead = 24;    // space above the highest value, for its label
constexpr double kBottom = 14;      // space below the lowest value, for its label
constexpr double kAxisRoom = 42;    // space for the parameter's values and name
constexpr double kMaxDot = 3.5;
constexpr double kMinPlot =
    90;  // least side of the plotted area where the available size is too small

// The horizontal position of each value of the parameter.
class Across {
 public:
  Across(const std::vector<int64_t>& at, double width) : width_(width) {
    constexpr double kPower = 1.5;  // values are powers from this ratio of neighbours on
    bool powers = at.size() > 2 && at.front() > 0;
    for (size_t i = 1; i < at.size() && powers; ++i) {
      powers = static_cast<double>(at[i]) >= kPower * static_cast<double>(at[i - 1]);
    }
    by_powers_ = powers;
    first_ = scaled(static_cast<double>(at.front()));
    span_ = scaled(static_cast<double>(at.back())) - first_;
    nearest_ = width_;
    for (size_t i = 1; i < at.size(); ++i) {
      nearest_ = std::min(nearest_, place(at[i]) - place(at[i - 1]));
    }
  }
  double place(int64_t value) const {
    if (span_ == 0) return width_ / 2;
    constexpr double kInset = 10;
    return kInset + (width_ - 2 * kInset) * (scaled(static_cast<double>(value)) - first_) / span_;
  }
  double nearest() const { return nearest_; }  // pixels between the closest neighbours

 private:
  double scaled(double value) const { return by_powers_ ? std::log2(value) : value; }
  double width_;
  bool by_powers_ = false;
  double first_ = 0;
  double span_ = 0;
  double nearest_ = 0;
};

// One swept number, or several that share a chart.
using Series = std::vector<const SweptNumber*>;

ValueAxis axis_of(const Series& series) {
  // From this ratio of most to least on, an even axis would flatten the low lines.
  constexpr double kFar = 20;
  std::vector<double> ends;  // least and most of every number
  for (const SweptNumber* number : series) {
    const auto low = argmin(*number);
    if (!low) continue;
    ends.push_back(*number->values[*low]);
    ends.push_back(*number->values[*argmax(*number)]);
  }
  if (ends.empty()) return {};
  const auto [least, most] = std::minmax_element(ends.begin(), ends.end());
  const bool far = series.size() > 1 && *least > 0 && *most >= kFar * *least;
  return far ? power_axis(*least, *most) : even_axis(*least, *most);
}

LabelItem label(const char* role, Point at, const std::string& text, Anchor anchor,
                bool bold = false) {
  return axis_label(role, at, text, anchor, kTickSize, bold);
}

// Measures that all charts of a page share.
struct ChartFrame {
  double left = 0;   // left edge of the plotted areas
  double width = 0;  // width of the plotted areas
  double high = 0;
  double right = 12;   // space right of the plotted areas
  bool alone = false;  // the only chart: the page's title names it
};

std::string parameter_name(const Sweep& sweep) {
  return sweep.unit.empty() ? sweep.parameter : format("{}, {}", sweep.parameter, sweep.unit);
}

class Chart {
 public:
  Chart(const Sweep& sweep, Series series, const ChartFrame& frame)
      : sweep_(sweep),
        series_(std::move(series)),
        frame_(frame),
        across_(sweep.at, frame.width),
        top_(kPlotHead + (frame.alone ? 0 : kName)),
        axis_(axis_of(series_)) {}

  // The width of the widest label of the value axis.
  static double label_width(const Series& series) {
    double width = 0;
    const ValueAxis axis = axis_of(series);
    for (const double value : axis.at) {
      width = std::max(width, text_width(quantity_text(series.front()->name, value), kTickSize));
    }
    return width;
  }

  PageBlock block() {
    if (!frame_.alone) {
      block_.items.push_back(label("caption", {0, 10}, name(), Anchor::Start, true));
    }
    scale();
    parameter_axis();
    for (const SweptNumber* number : series_) line(*number);
    if (is_shared()) {
      line_ends();
    } else {
      marks();
    }
    tooltips();
    block_.width = frame_.left + frame_.width + frame_.right;
    block_.height = top_ + frame_.high + kBottom + kAxisRoom;
    return std::move(block_);
  }

 private:
  bool is_shared() const { return !series_.front()->chart.empty(); }
  const std::string& name() const {
    return is_shared() ? series_.front()->chart : series_.front()->name;
  }
  std::string value_text(double value) const { return quantity_text(series_.front()->name, value); }
  double right() const { return frame_.left + frame_.width; }
  double x(size_t i) const { return frame_.left + across_.place(sweep_.at[i]); }
  double y(double value) const { return top_ + frame_.high * (1 - axis_.fraction(value)); }
  double base() const { return top_ + frame_.high + kBottom; }

  void scale() {
    for (const double value : axis_.at) {
      const double at = y(value);
      block_.items.push_back(
          line_item("rule", {frame_.left, at}, {right(), at}, palette::kFaint, 0.75));
      block_.items.push_back(label("axis", {frame_.left - 8, at + capital_height(kTickSize) / 2},
                                   value_text(value), Anchor::End));
    }
  }

  // Labels as many values of the parameter as fit, always the first and the last.
  void parameter_axis() {
    block_.items.push_back(
        line_item("axis", {frame_.left, base()}, {right(), base()}, palette::kInk, 1));
    constexpr double kApart = 12;
    const double y_text = base() + 17;
    const auto half = [this](size_t i) {
      return text_width(format("{}", sweep_.at[i]), kTickSize) / 2;
    };
    const size_t last = sweep_.at.size() - 1;
    double free = frame_.left - frame_.width;
    for (size_t i = 0; i <= last; ++i) {
      const bool reaches_last = x(i) + half(i) + kApart > x(last) - half(last);
      if (i != last && (x(i) - half(i) < free || reaches_last || !is_round(i))) continue;
      block_.items.push_back(
          line_item("axis", {x(i), base()}, {x(i), base() + 4}, palette::kInk, 1));
      block_.items.push_back(
          label("axis", {x(i), y_text}, format("{}", sweep_.at[i]), Anchor::Middle));
      free = x(i) + half(i) + kApart;
    }
    block_.items.push_back(label("parameter", {frame_.left + frame_.width / 2, base() + 36},
                                 parameter_name(sweep_), Anchor::Middle, true));
  }

  // Where values are many, only multiples of a round step are labelled.
  bool is_round(size_t i) const {
    if (i == 0 || across_.nearest() >= 24) return true;
    constexpr double kMinGap = 40;
    const double span =
        static_cast<double>(sweep_.at.back()) - static_cast<double>(sweep_.at.front());
    const double step = std::max(1.0, round_step(span * kMinGap / frame_.width));
    return std::fmod(static_cast<double>(sweep_.at[i]), step) == 0;
  }

  // Dots closer than this would hide the line.
  bool has_dots() const { return across_.nearest() >= 7; }
  // True where the value has no neighbours, and so no line.
  static bool is_alone(const SweptNumber& number, size_t i) {
    const bool before = i > 0 && number.values[i - 1];
    const bool behind = i + 1 < number.values.size() && number.values[i + 1];
    return !before && !behind;
  }

  // The line has gaps where values are missing.
  void line(const SweptNumber& number) {
    std::vector<Point> run;
    const auto flush = [&] {
      if (run.size() > 1) {
        block_.items.push_back(PathItem{.role = "curve",
                                        .points = run,
                                        .style = {.stroke = series_color(number.index),
                                                  .stroke_width = has_dots() ? 2.0 : 1.0}});
      }
      run.clear();
    };
    for (size_t i = 0; i < sweep_.at.size(); ++i) {
      if (number.values[i]) {
        run.push_back({x(i), y(*number.values[i])});
      } else {
        flush();
      }
    }
    flush();
    const double radius = std::clamp(across_.nearest() / 3, 1.5, kMaxDot);
    for (size_t i = 0; i < sweep_.at.size(); ++i) {
      if (number.values[i]) {
        if (!has_dots() && !is_alone(number, i)) continue;
        block_.items.push_back(series_point(number.index, {x(i), y(*number.values[i])}, radius));
      } else {
        missing({x(i), base() - kBottom / 2});
      }
    }
  }

  void missing(Point at) {
    const double arm = std::clamp(across_.nearest() / 3, 1.5, 3.0);
    for (const double side : {-arm, arm}) {
      block_.items.push_back(line_item("missing", {at.x - side, at.y - arm},
                                       {at.x + side, at.y + arm}, palette::kMuted, 1.25));
    }
  }

  // Writes each line's number behind its last point, moved apart where lines end close together.
  void line_ends() {
    struct End {
      size_t index = 0;
      double y = 0;
    };
    std::vector<End> ends;
    for (const SweptNumber* number : series_) {
      if (const std::optional<double>& last = number->values.back()) {
        ends.push_back({number->index, y(*last)});
      }
    }
    std::stable_sort(ends.begin(), ends.end(),
                     [](const End& a, const End& b) { return a.y < b.y; });
    constexpr double kApart = kMarkSize + 1;
    double above = top_ - kPlotHead;
    for (End& end : ends) above = end.y = std::max(end.y, above + kApart);
    double below = base() + kApart;
    for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
      below = end->y = std::min(end->y, below - kApart);
    }
    for (const End& end : ends) {
      block_.items.push_back(LabelItem{.role = "mark",
                                       .at = {right() + 5, end.y + capital_height(kMarkSize) / 2},
                                       .text = format("{}", end.index + 1),
                                       .size = kMarkSize,
                                       .bold = true,
                                       .color = series_color(end.index)});
    }
  }

  // Labels the least value below its point and the most above; one label where all are equal.
  void marks() {
    const SweptNumber& number = *series_.front();
    const auto least = argmin(number);
    const auto most = argmax(number);
    if (!least || sweep_.at.size() < 2) return;
    const bool flat = *number.values[*least] == *number.values[*most];
    if (flat) {
      mark(*most, y(*number.values[*most]) - 9,
           format("{} everywhere", value_text(*number.values[*most])));
      return;
    }
    mark(*most, y(*number.values[*most]) - 9, "most");
    const double low = y(*number.values[*least]);
    const double below = low + 9 + capital_height(kMarkSize);
    mark(*least, below > base() - 3 ? low - 9 : below, "least");
  }

  void mark(size_t i, double y_text, const std::string& word) {
    const double value = *series_.front()->values[i];
    const double radius = kMaxDot + 1.5;
    block_.items.push_back(
        RectangleItem{.role = "point",
                      .at = {x(i) - radius, y(value) - radius},
                      .width = 2 * radius,
                      .height = 2 * radius,
                      .radius = radius,
                      .style = {.fill = palette::kInk, .stroke = palette::kPaper}});
    const std::string text = word.find(' ') != std::string::npos
                                 ? word
                                 : format("{} {} at {}", word, value_text(value), sweep_.at[i]);
    const double width = text_width(text, kMarkSize, true);
    Anchor anchor = Anchor::Middle;
    double at = x(i);
    if (at - width / 2 < frame_.left + 2) {
      anchor = Anchor::Start;
      at = std::max(frame_.left + 2, at - kMaxDot);
    } else if (at + width / 2 > right()) {
      anchor = Anchor::End;
      at = std::min(right(), at + kMaxDot);
    }
    block_.items.push_back(LabelItem{.role = "mark",
                                     .at = {at, y_text},
                                     .text = text,
                                     .size = kMarkSize,
                                     .bold = true,
                                     .anchor = anchor,
                                     .color = palette::kInk,
                                     .halo = palette::kPaper});
  }

  // "k 64: 13.51 us" or, with several lines, "k 64: 1: 13.51 us, 2: 14 us".
  std::string tooltip_text(size_t i) const {
    std::vector<std::string> values;
    for (const SweptNumber* number : series_) {
      const std::optional<double>& value = number->values[i];
      if (!value && !is_shared()) return sweep_.why_not[i];
      const std::string text = value ? value_text(*value) : "none";
      values.push_back(is_shared() ? format("{}: {}", number->index + 1, text) : text);
    }
    const bool none = std::none_of(series_.begin(), series_.end(),
                                   [i](const SweptNumber* n) { return n->values[i].has_value(); });
    return none ? sweep_.why_not[i] : join(values, ", ");
  }

  void tooltips() {
    for (size_t i = 0; i < sweep_.at.size(); ++i) {
      const double from = i == 0 ? frame_.left : (x(i - 1) + x(i)) / 2;
      const double to = i + 1 == sweep_.at.size() ? right() : (x(i) + x(i + 1)) / 2;
      block_.items.push_back(TooltipItem{
          .role = "point",
          .at = {from, top_},
          .width = to - from,
          .height = base() - top_,
          .text = format("{} {}: {}", sweep_.parameter, sweep_.at[i], tooltip_text(i))});
    }
  }

  const Sweep& sweep_;
  Series series_;
  ChartFrame frame_;
  Across across_;
  double top_;
  ValueAxis axis_;
  PageBlock block_;
};

LegendEntry missing_legend() {
  LegendEntry entry{"no number at this value; point at the cross to see the reason", 10, {}};
  constexpr double kMiddle = kLegendSymbolHeight / 2;
  for (const double side : {-3.0, 3.0}) {
    entry.symbol.push_back(line_item("legend", {5 - side, kMiddle - 3}, {5 + side, kMiddle + 3},
                                     palette::kMuted, 1.25));
  }
  return entry;
}

// The numbers of every chart, in the sweep's order.
std::vector<Series> charts_of(const Sweep& sweep) {
  std::vector<Series> charts;
  for (const SweptNumber& number : sweep.numbers) {
    const auto same = std::find_if(charts.begin(), charts.end(), [&](const Series& chart) {
      return !number.chart.empty() && chart.front()->chart == number.chart;
    });
    if (same == charts.end()) {
      charts.push_back({&number});
    } else {
      same->push_back(&number);
    }
  }
  return charts;
}

// The series of all charts with several lines, each once.
std::vector<LegendEntry> series_legends(const Sweep& sweep) {
  std::map<size_t, std::string> series;
  for (const SweptNumber& number : sweep.numbers) {
    if (!number.chart.empty()) series.emplace(number.index, number.series);
  }
  std::vector<LegendEntry> legend;
  legend.reserve(series.size());
  for (const auto& [index, text] : series) {
    legend.push_back(series_legend(index, format("{}: {}", index + 1, text)));
  }
  return legend;
}

ChartFrame frame_of(const std::vector<Series>& charts, const AvailableSize& available) {
  ChartFrame frame{.alone = charts.size() == 1 && charts.front().front()->chart.empty()};
  double widest = 0;
  bool shared = false;
  for (const Series& chart : charts) {
    widest = std::max(widest, Chart::label_width(chart));
    shared = shared || !chart.front()->chart.empty();
  }
  frame.left = std::ceil(widest) + 10;
  if (shared) frame.right = 24;  // space for the line numbers
  frame.width = kPlotWidth;
  frame.high = charts.size() == 1 || shared ? 240 : 150;
  if (available.width > 0) {
    frame.width = std::max(content_width(available) - frame.left - frame.right, kMinPlot);
  }
  if (available.height > 0) {
    const auto count = static_cast<double>(charts.size());
    const double around = kPlotHead + kName + kBottom + kAxisRoom + kBlockGap;
    frame.high = std::max(std::floor(available.height / count - around), kMinPlot);
  }
  return frame;
}

}  // namespace

Scene sweep_diagram(const Sweep& sweep, const AvailableSize& available) {
  const std::vector<Series> charts = charts_of(sweep);
  std::vector<std::string> names;
  bool any_missing = false;
  for (const Series& chart : charts) {
    const SweptNumber& first = *chart.front();
    if (first.chart.empty()) names.push_back(first.name);
  }
  // The name of the first shared chart, without its unit.
  if (names.empty()) {
    const std::string& chart = charts.front().front()->chart;
    names.push_back(chart.substr(0, chart.rfind(',')));
  }
  for (const SweptNumber& number : sweep.numbers) {
    for (const auto& value : number.values) any_missing = any_missing || !value;
  }
  Page page{.title = format("{} over {}", join(names, ", "), sweep.parameter),
            .available = available};
  page.legend = series_legends(sweep);
  for (const std::string_view part : split(sweep.subject, ';')) {
    // The legend contains the rest.
    if (!page.legend.empty() && !page.lines.empty()) break;
    page.lines.emplace_back(trim(part));
  }
  page.per_line = 1;
  const ChartFrame frame = frame_of(charts, available);
  for (const Series& chart : charts) page.blocks.push_back(Chart(sweep, chart, frame).block());
  if (any_missing) page.legend.push_back(missing_legend());
  return page_scene(std::move(page));
}

}  // namespace tilewright
