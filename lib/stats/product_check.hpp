// Checks that all of D is the product of A and B, by sums of D's rows over blocks of columns with
// random signs: they cost a small part of the product and cover every tile. Also checks that a
// launch leaves other memory alone.
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

/// The result of the check. A block is kCheckRows x kCheckColumns elements.
struct ProductVerdict {
  int64_t wrong_sums = 0;    // of a row within a block
  int64_t wrong_blocks = 0;  // blocks with sums too far off together, even if each is within limits
  int64_t first_row = -1;    // of the first wrong sum or block
  int64_t first_column = -1;
  bool ok() const { return wrong_sums == 0 && wrong_blocks == 0; }
  bool operator==(const ProductVerdict&) const = default;
};

/// The allowed error of a sum, in roots of the sum of its squared tolerances: with this limit, the
/// chance that any of `sums` correct ones is called wrong is at most `false_alarm`.
double sum_bound(int64_t sums, double false_alarm = 1e-9);

/// The same for the squared errors of `rows` sums of one block together, in the sum of all squared
/// tolerances, for `blocks` blocks.
double block_bound(int64_t rows, int64_t blocks, double false_alarm = 1e-9);

/// The properties of a product that determine the error of a correct result.
struct ProductTypes {
  tw::ElementType output = tw::ElementType::BF16;
  tw::ElementType operand = tw::ElementType::BF16;
  int roundings = 1;  // of a sum to the output's type
  int64_t k = 0;      // terms of a sum
};

/// Sums over the compared elements of D.
struct ElementSums {
  double count = 0;   // of elements
  double values = 0;  // of their squares
  double terms = 0;   // of the squares of the products and addends that each element is a sum of
};

/// The largest sum of the squared errors of correct elements. Rounding has an error relative to the
/// element, and one of the output type's least step; the tensor cores' accumulation has an error
/// relative to the norm of the products. That norm is larger than the element where products
/// cancel, as they do in the elements that stay finite where most of a row overflows.
double allowed_squared_error(const ElementSums& elements, const ProductTypes& types);

/// Sums of squares over one block: of the errors of its sums, of their tolerances, and of D's
/// elements.
struct BlockSums {
  double residuals = 0;
  double tolerances = 0;
  double values = 0;
  bool operator==(const BlockSums&) const = default;
};

/// False where the sums of a block of `rows` rows, one of `blocks` blocks, are too far off
/// together: beyond their tolerances, or beyond the error of correct kernels of that type.
bool is_right_block(const BlockSums& sums, int64_t rows, int64_t blocks, const ProductTypes& types);

/// Computes the sums of a correct D once, and compares Ds with them.
class ProductCheck {
 public:
  ProductCheck(const ProductOperands& operands, uint64_t seed);

  /// `d` is m x n, row-major, values of `type`; `roundings`: how often a sum was rounded to it.
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

/// The value of every byte of a red zone.
inline constexpr unsigned char kRedZoneByte = 0xA5;
/// Bytes of the red zone on either side of a kernel's output.
inline constexpr int64_t kRedZoneBytes = 4096;

/// The index of the first changed byte of a red zone; nullopt where none has changed.
std::optional<size_t> first_overwritten(std::span<const unsigned char> zone);

/// Checksum of an operand's bits: it changes with any one changed element or two exchanged ones.
uint64_t checksum(std::span<const uint16_t> elements);

}  // namespace tilewright
