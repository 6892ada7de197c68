#include "draw/value_axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "draw/diagram_page.hpp"
#include "draw/palette.hpp"

namespace tilewright {
namespace {

// Magnitudes within which sums and products of an axis neither overflow nor vanish.
constexpr double kLeast = 1e-300;
constexpr double kMost = 1e300;

double clamped(double value) {
  if (std::abs(value) < kLeast) return 0;
  return std::clamp(value, -kMost, kMost);
}

// Powers of ten from `low`'s down to above `high`, so far apart that they are few.
std::vector<double> powers_around(double low, double high) {
  constexpr int kMaxSteps = 12;
  const auto first = static_cast<int>(std::floor(std::log10(low)));
  const auto last = static_cast<int>(std::ceil(std::log10(high)));
  const int every = std::max(1, (last - first + kMaxSteps - 1) / kMaxSteps);
  std::vector<double> powers;
  for (int power = first; power < last + every; power += every) {
    powers.push_back(std::pow(10, std::min(power, std::numeric_limits<double>::max_exponent10)));
  }
  return powers;
}

}  // namespace

double ValueAxis::fraction(double value) const {
  const double least = at.front();
  const double most = at.back();
  const double inside = std::clamp(value, least, most);
  if (!by_powers) return (inside - least) / (most - least);
  return (std::log(inside) - std::log(least)) / (std::log(most) - std::log(least));
}

ValueAxis even_axis(double least, double most) {
  constexpr double kLittle = 0.75;
  constexpr double kSteps = 4;
  constexpr double kRounding = 1e-9;
  constexpr double kEqual = 1e-6;  // labels show no smaller share
  least = clamped(least);
  most = clamped(most);
  const bool is_one = most - least <= kEqual * std::max(std::abs(least), std::abs(most));
  const bool from_zero = least >= 0 && (least < kLittle * most || is_one);
  if (from_zero) least = 0;
  if (most <= least || (is_one && !from_zero)) most = least + std::max(1.0, std::abs(least));
  const double step = round_step((most - least) / kSteps * (1 - kRounding));
  least = std::floor(least / step) * step;
  // An integer loop count: adding `step` to a large value may not change it.
  const int steps = std::max(1, static_cast<int>(std::ceil((most - least) / step - kRounding)));
  ValueAxis axis{.at = {}};
  for (int i = 0; i <= steps; ++i) {
    const double value = least + i * step;
    // Rounding may give almost 0 instead of 0.
    axis.at.push_back(std::abs(value) < step / 2 ? 0 : value);
  }
  return axis;
}

ValueAxis power_axis(double least, double most) {
  constexpr size_t kMaxSteps = 8;
  // A round value divided by this and rounded up is the next lower round value.
  constexpr double kLower = 2.6;
  constexpr double kHigher = 1.5;
  // The next round value above is one that round_step() gives, too.
  least = std::clamp(least, kLeast, kMost / 10);
  most = std::clamp(most, least, kMost / 10);
  ValueAxis axis{.at = {}, .by_powers = true};
  double value = round_step(least);
  if (value > least) value = round_step(value / kLower);
  while (axis.at.size() <= kMaxSteps && value < most) {
    axis.at.push_back(value);
    value = round_step(value * kHigher);
  }
  axis.at.push_back(value);
  if (axis.at.size() == 1) axis.at.push_back(round_step(value * kHigher));
  if (axis.at.size() > kMaxSteps) axis.at = powers_around(least, most);
  return axis;
}

std::vector<double> multiples_in(double low, double high, double step) {
  constexpr double kRounding = 1e-9;
  constexpr double kMaxCount = 64;
  const double first = std::ceil(low / step - kRounding);
  const double count = std::floor(high / step + kRounding) - first;
  if (!(count >= 0 && count < kMaxCount)) return {};
  std::vector<double> at;
  for (int i = 0; i <= static_cast<int>(count); ++i) {
    const double value = (first + i) * step;
    if (at.empty() || value > at.back()) at.push_back(value);
  }
  return at;
}

std::vector<double> powers_in(double low, double high) {
  constexpr double kWide = 300;
  low = std::max(clamped(low), kLeast);
  high = std::max(clamped(high), low);
  const bool is_wide = high / low > kWide;
  constexpr std::array kSteps = {1.0, 2.0, 5.0};
  std::vector<double> at;
  for (const double power : powers_around(low, high)) {
    for (const double step : kSteps) {
      const double value = step * power;
      if (value >= low && value <= high && (!is_wide || step == 1)) at.push_back(value);
    }
  }
  return at;
}

LabelItem axis_label(const std::string& role, Point at, const std::string& text, Anchor anchor,
                     double size, bool bold) {
  return {.role = role,
          .at = at,
          .text = text,
          .size = size,
          .bold = bold,
          .anchor = anchor,
          .color = bold ? palette::kInk : palette::kMuted};
}

}  // namespace tilewright
