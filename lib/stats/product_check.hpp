// Is all of D the product of A and B? By sums of D's rows over blocks of columns with random signs,
// which cost a small part of the product and miss no tile; and what else a launch must leave alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/product_check.cuh"

namespace tilewright {

/// Row-major operands as float64 values: A is m x k, B n x k.
struct ProductOperands {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  std::vector<double> a;
  std::vector<double> b;
};

/// What the sums say of D. A block is kCheckRows x kCheckColumns elements.
struct ProductVerdict {
  int64_t wrong_sums = 0;    // of a row within a block
  int64_t wrong_blocks = 0;  // whose sums are too far off together, though each may be
  int64_t first_row = -1;    // of the first wrong sum or block
  int64_t first_column = -1;
  bool ok() const { return wrong_sums == 0 && wrong_blocks == 0; }
  bool operator==(const ProductVerdict&) const = default;
};

/// How far a sum may be off, in roots of its tolerances' squares, so that of `sums` right ones any
/// is called wrong with no more than this chance.
double sum_reach(int64_t sums, double false_alarm = 1e-9);

/// The same for a block: over the squares of `rows` sums together, in the sum of all tolerances'
/// squares, where there are `blocks` of them.
double block_reach(int64_t rows, int64_t blocks, double false_alarm = 1e-9);

/// What decides how far a right product is off.
struct ProductTypes {
  tw::ElementType output = tw::ElementType::BF16;
  tw::ElementType operand = tw::ElementType::BF16;
  int roundings = 1;  // to the output's type that a sum went through
  int64_t k = 0;      // terms of a sum
};

/// How far a right product may be off on the whole: its errors' norm over D's.
double relative_error_limit(const ProductTypes& types);

/// The squares of a block's sums together: by how much they are off, what they may be, and D's
/// elements.
struct BlockSums {
  double residuals = 0;
  double tolerances = 0;
  double values = 0;
  bool operator==(const BlockSums&) const = default;
};

/// False where the sums of a block of so many rows, one of `blocks`, are too far off together:
/// beyond what tolerances allow, or what right kernels of that type lose.
bool is_right_block(const BlockSums& sums, int64_t rows, int64_t blocks, const ProductTypes& types);

/// The sums that a right D has, computed once, and D compared with them.
class ProductCheck {
 public:
  ProductCheck(const ProductOperands& operands, uint64_t seed);

  /// `d` is m x n, row-major, of values of `type`; `roundings`: how often a sum was rounded to it.
  ProductVerdict check(std::span<const double> d, tw::ElementType type, int roundings = 1) const;

 private:
  int64_t m_;
  int64_t n_;
  uint64_t seed_;
  int64_t blocks_;                // of columns
  std::vector<double> expected_;  // m x blocks
  std::vector<double> norms_a_;   // 2-norms of rows
  std::vector<double> norms_b_;
  std::vector<double> fourths_a_;  // 4-norms
  std::vector<double> fourths_b_;
};

/// What every byte of a red zone holds.
inline constexpr unsigned char kRedZoneByte = 0xA5;
/// Bytes on either side of what a kernel may write.
inline constexpr int64_t kRedZoneBytes = 4096;

/// The first byte of a red zone that was written; nothing when all are as they were.
std::optional<size_t> first_stray(std::span<const unsigned char> zone);

/// Of an operand's bits: another value for any one element changed or two exchanged.
uint64_t checksum(std::span<const uint16_t> elements);

}  // namespace tilewright
