// Integer arithmetic for tiles.
#pragma once

#include <bit>
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

constexpr bool is_power_of_two(int64_t n) {
  return n > 0 && std::has_single_bit(static_cast<uint64_t>(n));
}

/// The exponent of a power of two.
constexpr int log2_of(int64_t power) {
  return std::countr_zero(static_cast<uint64_t>(power));
}

/// Microseconds per second.
inline constexpr double kMicroseconds = 1e6;

}  // namespace tilewright
