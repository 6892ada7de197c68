// Swizzle<B,M,S>: XORs bits of an offset with higher (S > 0) or lower (S < 0) bits of it.
//
//     bits of an offset, S > 0      0bxxxxxxYYYxxxxxxxZZZxxxx
//       Z: the B bits from bit M                      --- ----  M bits below stay
//       Y: the B bits from bit M+S        ---  <--S-->
//     S < 0 swaps the places: Y stands at bit M, Z at bit M+|S|. Z becomes Z xor Y.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright {

/// Valid: bits >= 0, base >= 0, |shift| >= bits, bits + base + |shift| <= 62.
struct Swizzle {
  int bits = 0;   // B: how many bits are XORed
  int base = 0;   // M: how many low bits stay, log2 of the elements that stay together
  int shift = 0;  // S: distance of the bits read from the bits changed
  bool operator==(const Swizzle&) const = default;
};

/// Throws a usage error that names the violated rule.
Swizzle make_swizzle(int64_t bits, int64_t base, int64_t shift);
/// The swizzle that reads the bits of mask `y` and changes the bits of mask `z`. Both masks must be
/// runs of ones of the same length. Throws a usage error otherwise.
Swizzle swizzle_of_masks(int64_t y, int64_t z);

/// The bits read.
constexpr int64_t y_mask(const Swizzle& s) {
  return ((int64_t{1} << s.bits) - 1) << (s.base + (s.shift > 0 ? s.shift : 0));
}
/// The bits changed.
constexpr int64_t z_mask(const Swizzle& s) {
  return ((int64_t{1} << s.bits) - 1) << (s.base - (s.shift < 0 ? s.shift : 0));
}
/// The swizzled offset; its own inverse.
constexpr int64_t apply(const Swizzle& s, int64_t offset) {
  const int64_t read = offset & y_mask(s);
  return offset ^ (s.shift >= 0 ? read >> s.shift : read << -s.shift);
}
/// The swizzle acts in the same way on offsets that differ by a multiple of this.
constexpr int64_t period(const Swizzle& s) {
  const int reach = s.bits + s.base + (s.shift < 0 ? -s.shift : s.shift);
  return s.bits == 0 ? 1 : int64_t{1} << reach;
}

/// One letter for each of the low `count` bits of an offset, highest first: Y is read, Z becomes Z
/// ^ Y (the first Z with the first Y), x stays.
std::string swizzle_bits(const Swizzle& s, int count);

/// a after b; both must have the same shift. Throws a usage error if the result is not a swizzle.
Swizzle composition(const Swizzle& a, const Swizzle& b);
/// The swizzle on units `factor` (a power of two) times larger; bits below the unit are dropped.
Swizzle upcast(const Swizzle& s, int64_t factor);
/// The swizzle on units `factor` (a power of two) times smaller.
Swizzle downcast(const Swizzle& s, int64_t factor);

/// "Sw<3,3,3>".
std::string to_string(const Swizzle& s);

}  // namespace tilewright
