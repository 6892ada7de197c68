// The matrix product to run: D is the epilogue of A B.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tile/workload/product_kind.hpp"

namespace tilewright {

/// Sizes in elements, each in [1, 2^31): A B is m x n, the inner dimension is k. D is m x
/// output_columns(), with contiguous columns.
struct GemmShape {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool operator==(const GemmShape&) const = default;
};

/// One product: its sizes and its kind.
struct Problem {
  GemmShape shape = {};
  ProductKind kind = {};
  bool operator==(const Problem&) const = default;
};

/// "MxNxK" to a shape. Throws a usage error on anything else, on sizes below `least` and beyond
/// 2^31 - 1.
GemmShape parse_shape(std::string_view text, int64_t least = 1);
std::string to_string(const GemmShape& shape);

/// "4096x4096x4096 bf16 tn", with " -> f32" and " + bias" where they apply.
std::string to_string(const Problem& problem);

/// Multiply-adds count as two operations.
double flops(const Problem& problem);

}  // namespace tilewright
