// Integer arithmetic that tiles need.
#pragma once

#include <concepts>
#include <cstdint>

namespace tilewright {

/// Quotient rounded up; `a` >= 0, `b` > 0.
template <std::integral T>
constexpr T ceil_div(T a, T b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

/// The smallest multiple of `b` that is at least `a`.
template <std::integral T>
constexpr T round_up(T a, T b) {
  return ceil_div(a, b) * b;
}

}  // namespace tilewright
