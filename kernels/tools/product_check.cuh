// Checks a whole product by smaller ones (Freivalds): each block of D's columns is summed with
// random signs. Where D = A B, a row of D times the signs is the row of A times (B times the
// signs). The kernels that check on the device and the host code that tests plant faults in share
// this arithmetic.
#pragma once

#include "map/element_type.cuh"

namespace tw {

/// Columns of D per sum: with more, the check is cheaper; with fewer, it finds smaller faults.
inline constexpr int kCheckColumns = 64;
/// Rows of D judged together.
inline constexpr int kCheckRows = 64;

/// SplitMix64's output function.
constexpr unsigned long long mixed_bits(unsigned long long x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// The sign of a column, +1 or -1; it depends on the seed.
constexpr double check_sign(unsigned long long seed, long long column) {
  return mixed_bits(seed + static_cast<unsigned long long>(column)) >> 63 != 0 ? -1 : 1;
}

/// One term of a checksum: it mixes position and bits, so that exchanged elements change the sum.
constexpr unsigned long long checksum_term(long long position, unsigned bits) {
  return mixed_bits(static_cast<unsigned long long>(position) << 20 ^ bits);
}

/// How far an element may be from the exact sum: the loss of one rounding to its type relative to
/// the value, the loss of fp32 accumulation relative to the terms' magnitudes, and the least step
/// of small numbers.
struct ElementTolerance {
  double rounding = 0;
  double accumulation = 0;
  double smallest = 0;
  int roundings = 1;  // of the element's sum, including the last one
};

constexpr ElementTolerance element_tolerance(ElementType output, int roundings,
                                             ElementType operand = ElementType::BF16) {
  return {record_of(output).rounding_error, record_of(operand).accumulation,
          least_rounding_error(output), roundings};
}

/// The tolerance of an element of absolute value |value|. By Cauchy and Schwarz the terms'
/// magnitudes sum to at most `norms`, the product of the 2-norms of A's row and B's column, and the
/// root of their squares' sum is at most `fourths`, the product of the 4-norms. An intermediate sum
/// that was rounded is assumed to be within six of those roots of the final one.
constexpr double tolerance_of(const ElementTolerance& t, double value, double norms,
                              double fourths) {
  const double size = value < 0 ? -value : value;
  const double on_the_way = (t.roundings - 1) * (size + 6 * fourths);
  return t.rounding * (size + on_the_way) + t.accumulation * norms + t.smallest;
}

/// Errors that are each within their tolerance, summed with random signs, stay below `bound` times
/// the root of the sum of the squared tolerances, except with the probability that `bound` was
/// chosen for (Hoeffding). NaN is never right.
constexpr bool is_right_sum(double residual, double squared_tolerances, double bound) {
  return residual * residual <= bound * bound * squared_tolerances;
}

}  // namespace tw
