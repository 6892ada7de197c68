// The matrix product to run: D = alpha * A B + beta * C.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

enum class DataType { BF16, F16 };

/// Bytes of one element.
int element_bytes(DataType type);
std::string to_string(DataType type);
/// Throws a usage error that names what is known.
DataType parse_data_type(std::string_view text);

/// D is m x n (n contiguous), the inner dimension is k; elements, each in [1, 2^31).
struct GemmShape {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool operator==(const GemmShape&) const = default;
};

/// One product in layout `tn`: A is m x k and B is n x k, both with k contiguous; D is m x n.
struct Problem {
  GemmShape shape;
  DataType dtype = DataType::BF16;  // of A, B, C and D; accumulation is fp32
  bool operator==(const Problem&) const = default;
};

/// "MxNxK" to a shape. Throws a usage error on anything else, on 0 and on sizes beyond 2^31 - 1.
GemmShape parse_shape(std::string_view text);
std::string to_string(const GemmShape& shape);

/// "4096x4096x4096 bf16 tn".
std::string to_string(const Problem& problem);

/// Multiply-adds counted as two operations.
double flops(const Problem& problem);

/// Bytes of A, B and D (of which C, when read, is as large as D).
int64_t operand_bytes(const Problem& problem);

}  // namespace tilewright
