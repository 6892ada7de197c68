#include "draw/sweep_diagram.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "draw/axis_label.hpp"
#include "draw/diagram_page.hpp"
#include "draw/font_metrics.hpp"
#include "draw/palette.hpp"

namespace tilewright {
namespace {

constexpr double kMarkSize = 12;
constexpr double kPlotWidth = 680;  // of the plotted area
constexpr double kName = 18;        // a chart's name
constexpr double kPlotHead = 24;    // above the highest value, for its label
constexpr double kBottom = 14;      // below the lowest value, for the label of the lowest point
constexpr double kAxisRoom = 42;    // for the parameter's values and its name
constexpr double kMostDot = 3.5;
constexpr Color kLineColor = {0x2b, 0x6c, 0xb0};

// Where the values of the parameter stand.
class Across {
 public:
  explicit Across(const std::vector<int64_t>& at) {
    constexpr double kPower = 1.5;  // the least ratio of neighbours that reads as powers
    bool powers = at.size() > 2 && at.front() > 0;
    for (size_t i = 1; i < at.size() && powers; ++i) {
      powers = static_cast<double>(at[i]) >= kPower * static_cast<double>(at[i - 1]);
    }
    by_powers_ = powers;
    first_ = scaled(static_cast<double>(at.front()));
    span_ = scaled(static_cast<double>(at.back())) - first_;
    nearest_ = kPlotWidth;
    for (size_t i = 1; i < at.size(); ++i) {
      nearest_ = std::min(nearest_, place(at[i]) - place(at[i - 1]));
    }
  }
  double place(int64_t value) const {
    if (span_ == 0) return kPlotWidth / 2;
    constexpr double kInset = 10;
    return kInset +
           (kPlotWidth - 2 * kInset) * (scaled(static_cast<double>(value)) - first_) / span_;
  }
  double nearest() const { return nearest_; }  // pixels between neighbours

 private:
  double scaled(double value) const { return by_powers_ ? std::log2(value) : value; }
  bool by_powers_ = false;
  double first_ = 0;
  double span_ = 0;
  double nearest_ = 0;
};

// The values that an axis shows, at round steps; counted, for a step may be lost in a large value.
struct Axis {
  double least = 0;
  double step = 1;
  int steps = 1;
  double at(int i) const { return least + i * step; }
  double most() const { return at(steps); }
};

// From zero, unless the values differ by little: then what differs is shown.
Axis axis_of(double least, double most) {
  constexpr double kLittle = 0.75;
  constexpr double kSteps = 4;
  constexpr double kRounding = 1e-9;
  const bool from_zero = least >= 0 && (least < kLittle * most || least == most);
  if (from_zero) least = 0;
  if (most <= least) most = least + std::max(1.0, std::abs(least));
  Axis axis;
  axis.step = round_step((most - least) / kSteps * (1 - kRounding));
  axis.least = std::floor(least / axis.step) * axis.step;
  axis.steps =
      std::max(1, static_cast<int>(std::ceil((most - axis.least) / axis.step - kRounding)));
  return axis;
}

LabelItem label(const char* role, Point at, const std::string& text, Anchor anchor,
                bool bold = false) {
  return axis_label(role, at, text, anchor, kTickSize, bold);
}

class Chart {
 public:
  // Alone, it is called what the page is.
  Chart(const Sweep& sweep, const SweptNumber& number, double left)
      : sweep_(sweep),
        number_(number),
        across_(sweep.at),
        alone_(sweep.numbers.size() == 1),
        left_(left),
        top_(kPlotHead + (alone_ ? 0 : kName)),
        high_(alone_ ? 240 : 150) {
    const auto least = least_place(number);
    const auto most = most_place(number);
    if (least) axis_ = axis_of(*number.values[*least], *number.values[*most]);
  }

  // The widest label of its own axis.
  static double label_width(const SweptNumber& number) {
    const auto least = least_place(number);
    if (!least) return 0;
    const Axis axis = axis_of(*number.values[*least], *number.values[*most_place(number)]);
    double width = 0;
    for (int i = 0; i <= axis.steps; ++i) {
      width = std::max(width, text_width(axis_text(number, axis, i), kTickSize));
    }
    return width;
  }

  PageBlock block() {
    if (!alone_) {
      block_.items.push_back(label("caption", {0, 10}, number_.name, Anchor::Start, true));
    }
    scale();
    parameter_axis();
    line();
    marks();
    hovers();
    block_.width = left_ + kPlotWidth + 12;
    block_.height = top_ + high_ + kBottom + kAxisRoom;
    return std::move(block_);
  }

 private:
  // Zero as such, though a sum of steps may miss it.
  static std::string axis_text(const SweptNumber& number, const Axis& axis, int i) {
    const double value = axis.at(i);
    return quantity_text(number.name, std::abs(value) < axis.step / 2 ? 0 : value);
  }
  double x(size_t i) const { return left_ + across_.place(sweep_.at[i]); }
  double y(double value) const {
    return top_ + high_ * (1 - (value - axis_.least) / (axis_.most() - axis_.least));
  }
  double base() const { return top_ + high_ + kBottom; }

  void scale() {
    for (int i = 0; i <= axis_.steps; ++i) {
      const double at = y(axis_.at(i));
      block_.items.push_back(
          line_item("rule", {left_, at}, {left_ + kPlotWidth, at}, palette::kFaint, 0.75));
      block_.items.push_back(label("axis", {left_ - 8, at + capital_height(kTickSize) / 2},
                                   axis_text(number_, axis_, i), Anchor::End));
    }
  }

  // As many of the parameter's values as have room, the first and the last among them.
  void parameter_axis() {
    block_.items.push_back(
        line_item("axis", {left_, base()}, {left_ + kPlotWidth, base()}, palette::kInk, 1));
    constexpr double kApart = 12;
    const double y_text = base() + 17;
    const auto half = [this](size_t i) {
      return text_width(format("{}", sweep_.at[i]), kTickSize) / 2;
    };
    const size_t last = sweep_.at.size() - 1;
    double free = left_ - kPlotWidth;
    for (size_t i = 0; i <= last; ++i) {
      const bool reaches_last = x(i) + half(i) + kApart > x(last) - half(last);
      if (i != last && (x(i) - half(i) < free || reaches_last || !is_round(i))) continue;
      block_.items.push_back(
          line_item("axis", {x(i), base()}, {x(i), base() + 4}, palette::kInk, 1));
      block_.items.push_back(
          label("axis", {x(i), y_text}, format("{}", sweep_.at[i]), Anchor::Middle));
      free = x(i) + half(i) + kApart;
    }
    block_.items.push_back(label("parameter", {left_ + kPlotWidth / 2, base() + 36},
                                 sweep_.parameter, Anchor::Middle, true));
  }

  // Of many values, those that are multiples of a round step.
  bool is_round(size_t i) const {
    if (i == 0 || across_.nearest() >= 24) return true;
    constexpr double kLeastGap = 40;
    const double span = static_cast<double>(sweep_.at.back() - sweep_.at.front());
    const double step = std::max(1.0, round_step(span * kLeastGap / kPlotWidth));
    return std::fmod(static_cast<double>(sweep_.at[i]), step) == 0;
  }

  // Dots that are closer would hide the line.
  bool has_dots() const { return across_.nearest() >= 7; }
  // True where no line leads to the value.
  bool is_alone(size_t i) const {
    const bool before = i > 0 && number_.values[i - 1];
    const bool behind = i + 1 < number_.values.size() && number_.values[i + 1];
    return !before && !behind;
  }

  // Unbroken where the values are.
  void line() {
    std::vector<Point> run;
    const auto flush = [&] {
      if (run.size() > 1) {
        block_.items.push_back(
            PathItem{.role = "curve",
                     .points = run,
                     .style = {.stroke = kLineColor, .stroke_width = has_dots() ? 2.0 : 1.0}});
      }
      run.clear();
    };
    for (size_t i = 0; i < sweep_.at.size(); ++i) {
      if (number_.values[i]) {
        run.push_back({x(i), y(*number_.values[i])});
      } else {
        flush();
      }
    }
    flush();
    const double radius = std::clamp(across_.nearest() / 3, 1.5, kMostDot);
    for (size_t i = 0; i < sweep_.at.size(); ++i) {
      if (number_.values[i]) {
        if (has_dots() || is_alone(i)) dot({x(i), y(*number_.values[i])}, radius, kLineColor);
      } else {
        missing({x(i), base() - kBottom / 2});
      }
    }
  }

  void dot(Point at, double radius, Color color) {
    block_.items.push_back(RectangleItem{.role = "point",
                                         .at = {at.x - radius, at.y - radius},
                                         .width = 2 * radius,
                                         .height = 2 * radius,
                                         .radius = radius,
                                         .style = {.fill = color, .stroke = palette::kPaper}});
  }

  void missing(Point at) {
    const double arm = std::clamp(across_.nearest() / 3, 1.5, 3.0);
    for (const double side : {-arm, arm}) {
      block_.items.push_back(line_item("missing", {at.x - side, at.y - arm},
                                       {at.x + side, at.y + arm}, palette::kMuted, 1.25));
    }
  }

  // The least below its point, the most above it; one of them where they are the same.
  void marks() {
    const auto least = least_place(number_);
    const auto most = most_place(number_);
    if (!least || sweep_.at.size() < 2) return;
    const bool flat = *number_.values[*least] == *number_.values[*most];
    if (flat) {
      mark(*most, y(*number_.values[*most]) - 9,
           format("{} everywhere", quantity_text(number_.name, *number_.values[*most])));
      return;
    }
    mark(*most, y(*number_.values[*most]) - 9, "most");
    const double low = y(*number_.values[*least]);
    const double below = low + 9 + capital_height(kMarkSize);
    mark(*least, below > base() - 3 ? low - 9 : below, "least");
  }

  void mark(size_t i, double y_text, const std::string& word) {
    const double value = *number_.values[i];
    dot({x(i), y(value)}, kMostDot + 1.5, palette::kInk);
    const std::string text =
        word.find(' ') != std::string::npos
            ? word
            : format("{} {} at {}", word, quantity_text(number_.name, value), sweep_.at[i]);
    const double width = text_width(text, kMarkSize, true);
    Anchor anchor = Anchor::Middle;
    double at = x(i);
    if (at - width / 2 < left_ + 2) {
      anchor = Anchor::Start;
      at = std::max(left_ + 2, at - kMostDot);
    } else if (at + width / 2 > left_ + kPlotWidth) {
      anchor = Anchor::End;
      at = std::min(left_ + kPlotWidth, at + kMostDot);
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

  void hovers() {
    for (size_t i = 0; i < sweep_.at.size(); ++i) {
      const double from = i == 0 ? left_ : (x(i - 1) + x(i)) / 2;
      const double to = i + 1 == sweep_.at.size() ? left_ + kPlotWidth : (x(i) + x(i + 1)) / 2;
      const std::string told =
          number_.values[i] ? quantity_text(number_.name, *number_.values[i]) : sweep_.why_not[i];
      block_.items.push_back(
          HoverItem{.role = "point",
                    .at = {from, top_},
                    .width = to - from,
                    .height = base() - top_,
                    .text = format("{} {}: {}", sweep_.parameter, sweep_.at[i], told)});
    }
  }

  const Sweep& sweep_;
  const SweptNumber& number_;
  Across across_;
  bool alone_;
  double left_;
  double top_;
  double high_;
  Axis axis_;
  PageBlock block_;
};

LegendEntry missing_legend() {
  LegendEntry entry{"no number at this value; point at it for the reason", 10, {}};
  constexpr double kMiddle = kLegendSymbolHeight / 2;
  for (const double side : {-3.0, 3.0}) {
    entry.symbol.push_back(line_item("legend", {5 - side, kMiddle - 3}, {5 + side, kMiddle + 3},
                                     palette::kMuted, 1.25));
  }
  return entry;
}

}  // namespace

Scene sweep_diagram(const Sweep& sweep) {
  std::vector<std::string> names;
  double widest = 0;
  bool any_missing = false;
  for (const SweptNumber& number : sweep.numbers) {
    names.push_back(number.name);
    widest = std::max(widest, Chart::label_width(number));
    for (const auto& value : number.values) any_missing = any_missing || !value;
  }
  Page page{.title = format("{} over {}", join(names, ", "), sweep.parameter)};
  for (const std::string_view part : split(sweep.subject, ';')) page.lines.emplace_back(trim(part));
  page.per_line = 1;
  for (const SweptNumber& number : sweep.numbers) {
    page.blocks.push_back(Chart(sweep, number, std::ceil(widest) + 10).block());
  }
  if (any_missing) page.legend.push_back(missing_legend());
  return page_scene(std::move(page));
}

}  // namespace tilewright
