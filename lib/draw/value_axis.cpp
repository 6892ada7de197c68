#include "draw/value_axis.hpp"

#include <algorithm>
#include <cmath>

#include "draw/diagram_page.hpp"

namespace tilewright {

double ValueAxis::fraction(double value) const {
  const double least = at.front();
  const double most = at.back();
  if (by_powers) return std::log(value / least) / std::log(most / least);
  return (value - least) / (most - least);
}

ValueAxis even_axis(double least, double most) {
  constexpr double kLittle = 0.75;
  constexpr double kSteps = 4;
  constexpr double kRounding = 1e-9;
  const bool from_zero = least >= 0 && (least < kLittle * most || least == most);
  if (from_zero) least = 0;
  if (most <= least) most = least + std::max(1.0, std::abs(least));
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
  ValueAxis axis{.at = {}, .by_powers = true};
  double value = round_step(least);
  if (value > least) value = round_step(value / kLower);
  for (; value < most; value = round_step(value * kHigher)) axis.at.push_back(value);
  axis.at.push_back(value);
  if (axis.at.size() <= kMaxSteps) return axis;
  axis.at = {std::pow(10, std::floor(std::log10(least)))};
  while (axis.at.back() < most) axis.at.push_back(axis.at.back() * 10);
  return axis;
}

}  // namespace tilewright
