// A whole product checked by smaller ones (Freivalds): D's columns in blocks, each block summed
// with random signs. Where D = A B, a row of D times the signs is the row of A times (B times the
// signs). One arithmetic for the kernels that check on the device and for the host that the tests
// plant faults on.
#pragma once

#include "map/element_type.cuh"

namespace tw {

/// Columns of D that one sum takes together: more cost less, fewer find smaller faults.
inline constexpr int kCheckColumns = 64;
/// Rows whose sums are judged together, too.
inline constexpr int kCheckRows = 64;

/// SplitMix64's output function.
constexpr unsigned long long mixed_bits(unsigned long long x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// The sign of a column: +1 or -1, of each seed other ones.
constexpr double check_sign(unsigned long long seed, long long column) {
  return mixed_bits(seed + static_cast<unsigned long long>(column)) >> 63 != 0 ? -1 : 1;
}

/// What a term of a line's checksum is: position and bits, so that exchanged elements show.
constexpr unsigned long long checksum_term(long long position, unsigned bits) {
  return mixed_bits(static_cast<unsigned long long>(position) << 20 ^ bits);
}

/// How far an element may be from the exact sum: what one rounding to its type loses of a value,
/// what fp32 accumulation loses of the terms' magnitudes, and the least step of small numbers.
struct ElementTolerance {
  double rounding = 0;
  double accumulation = 0;
  double smallest = 0;
  int roundings = 1;  // on the element's way, the last one included
};

/// f16 subnormals are 6e-8 apart.
constexpr ElementTolerance element_tolerance(ElementType output, int roundings,
                                             ElementType operand = ElementType::BF16) {
  return {record_of(output).rounding, record_of(operand).accumulation, 1e-7, roundings};
}

/// Of an element of this absolute value. By Cauchy and Schwarz the terms' magnitudes sum to no more
/// than `norms`, the product of the 2-norms of A's row and B's column, and the root of their
/// squares' sum is no more than `fourths`, the product of the 4-norms. A sum that was rounded on
/// its way stood within six of those roots of where it ends.
constexpr double tolerance_of(const ElementTolerance& t, double value, double norms,
                              double fourths) {
  const double size = value < 0 ? -value : value;
  const double on_the_way = (t.roundings - 1) * (size + 6 * fourths);
  return t.rounding * (size + on_the_way) + t.accumulation * norms + t.smallest;
}

/// Errors that are each within their tolerance sum, with random signs, to less than `reach` times
/// the root of the tolerances' squares, but for the chance that `reach` was made for (Hoeffding). A
/// value that is no number is never right.
constexpr bool is_right_sum(double residual, double squared_tolerances, double reach) {
  return residual * residual <= reach * reach * squared_tolerances;
}

}  // namespace tw
