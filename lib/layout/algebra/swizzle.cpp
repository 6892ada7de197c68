#include "layout/algebra/swizzle.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr int64_t kMaxReach = 62;  // bits of an offset, without its sign

int recast_bits(int64_t factor, const Swizzle& s) {
  if (!is_power_of_two(factor)) {
    throw usage_error(format("{} cannot be recast by {}: a swizzle scales only by powers of two",
                             to_string(s), factor));
  }
  return log2_of(factor);
}

bool is_run(uint64_t mask) {
  return std::has_single_bit((mask >> std::countr_zero(mask)) + 1);
}

}  // namespace

Swizzle make_swizzle(int64_t bits, int64_t base, int64_t shift) {
  const std::string text = format("swizzle <{},{},{}>", bits, base, shift);
  if (bits < 0) throw usage_error(format("{}: the number of bits B is negative", text));
  if (base < 0) throw usage_error(format("{}: the base M is negative", text));
  const bool huge = bits > kMaxReach || base > kMaxReach || shift > kMaxReach ||
                    shift < -kMaxReach || bits + base + std::abs(shift) > kMaxReach;
  if (huge) throw usage_error(format("{}: B + M + |S| is more than {}", text, kMaxReach));
  if (std::abs(shift) < bits) {
    throw usage_error(
        format("{}: |S| is less than B, so the bits read and the bits changed overlap", text));
  }
  return {static_cast<int>(bits), static_cast<int>(base), static_cast<int>(shift)};
}

Swizzle swizzle_of_masks(int64_t y, int64_t z) {
  if (y == 0 && z == 0) return {};
  const auto uy = static_cast<uint64_t>(y);
  const auto uz = static_cast<uint64_t>(z);
  const bool fits = y > 0 && z > 0 && is_run(uy) && is_run(uz);
  if (!fits || std::popcount(uy) != std::popcount(uz)) {
    throw usage_error(
        format("no swizzle reads bits {:#x} and changes bits {:#x}: each mask must be one run of "
               "ones, and both must have the same length",
               y, z));
  }
  const int ty = std::countr_zero(uy);
  const int tz = std::countr_zero(uz);
  return make_swizzle(std::popcount(uy), std::min(ty, tz), ty - tz);
}

std::string swizzle_bits(const Swizzle& s, int count) {
  std::string letters;
  for (int bit = count - 1; bit >= 0; --bit) {
    const bool read = (y_mask(s) >> bit & 1) != 0;
    const bool changed = (z_mask(s) >> bit & 1) != 0;
    letters += read ? 'Y' : changed ? 'Z' : 'x';
  }
  return letters;
}

Swizzle composition(const Swizzle& a, const Swizzle& b) {
  if (a.shift != b.shift) {
    throw usage_error(
        format("{} o {} is not a swizzle: their shifts differ", to_string(a), to_string(b)));
  }
  return swizzle_of_masks(y_mask(a) ^ y_mask(b), z_mask(a) ^ z_mask(b));
}

Swizzle upcast(const Swizzle& s, int64_t factor) {
  const int base = s.base - recast_bits(factor, s);
  if (base >= 0) return {s.bits, base, s.shift};
  return {std::max(s.bits + base, 0), 0, s.shift};
}

Swizzle downcast(const Swizzle& s, int64_t factor) {
  return make_swizzle(s.bits, s.base + recast_bits(factor, s), s.shift);
}

std::string to_string(const Swizzle& s) {
  return format("Sw<{},{},{}>", s.bits, s.base, s.shift);
}

}  // namespace tilewright
