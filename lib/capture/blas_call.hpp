// A call of cuBLAS or cuBLASLt for matrix products, in their words: what the shim sees of it. Only
// plain data, because the shim is loaded into programs of other authors.
#pragma once

#include <cstdint>

namespace tilewright {

/// Numbers of the libraries' enumerations; a test compares them with the CUDA Toolkit's.
namespace blas {
inline constexpr int32_t kF32 = 0, kF64 = 1, kF16 = 2, kS8 = 3, kBF16 = 14, kE4M3 = 28, kE5M2 = 29;
inline constexpr int32_t kComplexF32 = 4, kComplexF64 = 5;
inline constexpr int32_t kPlain = 0, kTransposed = 1, kConjugated = 2;
inline constexpr int32_t kByColumns = 0, kByRows = 1;
inline constexpr int32_t kSumsF16 = 64, kSumsF16Pedantic = 65, kSumsF32 = 68, kSumsF64 = 70;
inline constexpr int32_t kNoEpilogue = 1, kRelu = 2, kBias = 4, kGelu = 32;
inline constexpr int32_t kScaleOfTensor = 0, kScaleOfLines = 3, kScaleOf128 = 4,
                         kScaleOf128x128 = 5;
}  // namespace blas

/// What the table of calls counts apart: equal calls have equal bytes. D (m x n) = epilogue(alpha
/// op(A) op(B) + beta C).
struct BlasCall {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t batch = 1;
  float alpha = 1;
  float beta = 0;
  int32_t type_a = blas::kBF16;
  int32_t type_b = blas::kBF16;
  int32_t type_c = blas::kBF16;
  int32_t type_d = blas::kBF16;
  int32_t sums = blas::kSumsF32;
  int32_t operation_a = blas::kPlain;
  int32_t operation_b = blas::kPlain;
  int32_t order_a = blas::kByColumns;
  int32_t order_b = blas::kByColumns;
  int32_t order_c = blas::kByColumns;
  int32_t order_d = blas::kByColumns;
  int32_t epilogue = blas::kNoEpilogue;
  int32_t bias_type = -1;  // -1: the library's choice
  int32_t scale_a = -1;    // the mode of the scales; -1: none
  int32_t scale_b = -1;
  int32_t scale_d = 0;            // 1: D has a scale
  int32_t absmax = 0;             // 1: the largest absolute value of D is stored
  int32_t fast_sums = 0;          // 1: 8-bit products are summed in the tensor cores alone
  int32_t factors_on_device = 0;  // 1: alpha and beta are not known; 2: alpha is a vector
  int32_t pitched = 0;            // 1: rows or matrices of the batch do not follow one another
  int32_t grouped = 0;            // 1: a group of products of different sizes
  int32_t unused = 0;             // no padding, which would hold any bytes
  bool operator==(const BlasCall&) const = default;
};
static_assert(sizeof(BlasCall) == 4 * 8 + 24 * 4);

}  // namespace tilewright
