#include "harness/element_bits.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace tilewright {
namespace {

// Widths of a type's exponent and fraction, below its sign bit.
struct FloatFormat {
  int exponent_bits;
  int fraction_bits;
  bool has_infinity;
};

FloatFormat format_of(tw::ElementType type) {
  switch (type) {
    case tw::ElementType::BF16: return {8, 7, true};
    case tw::ElementType::F16: return {5, 10, true};
    case tw::ElementType::F32: return {8, 23, true};
    case tw::ElementType::E4M3: return {4, 3, false};
    case tw::ElementType::E5M2: return {5, 2, true};
  }
  return {8, 23, true};
}

}  // namespace

double value_of_bits(tw::ElementType type, uint32_t bits) {
  const FloatFormat f = format_of(type);
  const uint32_t fraction = bits & ((1U << f.fraction_bits) - 1);
  const uint32_t most = (1U << f.exponent_bits) - 1;
  const uint32_t exponent = bits >> f.fraction_bits & most;
  const bool is_negative = (bits >> (f.fraction_bits + f.exponent_bits) & 1) != 0;
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const bool is_last = exponent == most;
  if (is_last && (f.has_infinity || fraction == (1U << f.fraction_bits) - 1)) {
    if (!f.has_infinity || fraction != 0) return std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    return is_negative ? -infinity : infinity;
  }
  const double digits = exponent == 0 ? fraction : fraction + std::ldexp(1.0, f.fraction_bits);
  const int power = (exponent == 0 ? 1 : static_cast<int>(exponent)) - bias - f.fraction_bits;
  const double size = std::ldexp(digits, power);
  return is_negative ? -size : size;
}

uint32_t bits_at(tw::ElementType type, const void* array, int64_t index) {
  const auto bytes = static_cast<size_t>(tw::bytes_of(type));
  uint32_t bits = 0;
  std::memcpy(&bits, static_cast<const char*>(array) + static_cast<size_t>(index) * bytes, bytes);
  return bits;
}

void put_bits(tw::ElementType type, void* array, int64_t index, uint32_t bits) {
  const auto bytes = static_cast<size_t>(tw::bytes_of(type));
  std::memcpy(static_cast<char*>(array) + static_cast<size_t>(index) * bytes, &bits, bytes);
}

uint32_t bits_of(tw::ElementType type, double value) {
  const FloatFormat f = format_of(type);
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const uint32_t sign = std::signbit(value) ? 1U << (f.exponent_bits + f.fraction_bits) : 0;
  if (value == 0) return sign;
  int power = 0;
  std::frexp(std::fabs(value), &power);
  // At least 1, the exponent of the least normal number.
  const int exponent = power - 1 + bias < 1 ? 1 : power - 1 + bias;
  const double digits = std::ldexp(std::fabs(value), f.fraction_bits + bias - exponent);
  const auto whole = static_cast<uint32_t>(digits);
  const uint32_t one = 1U << f.fraction_bits;
  if (whole < one) return sign | whole;
  return sign | static_cast<uint32_t>(exponent) << f.fraction_bits | (whole - one);
}

}  // namespace tilewright
