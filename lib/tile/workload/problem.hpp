// The matrix product to run: D = alpha * A B + beta * C.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "map/element_type.cuh"

namespace tilewright {

using DataType = tw::ElementType;

/// Which dimension of A and of B is contiguous, in BLAS letters for row-major D: t(n) A is m x k,
/// n(n) A is k x m; (t)n B is n x k, (t)t B is k x n.
enum class MatrixLayout { TN, NN, NT, TT };

using tw::bytes_of;
std::string to_string(DataType type);
/// The type of an operand. Throws a usage error that names those that are known.
DataType parse_data_type(std::string_view text);
/// The type of D. Throws a usage error.
DataType parse_output_type(std::string_view text);
/// "bf16 and f16": what operands, and D, may have.
std::string operand_type_names();
std::string output_type_names();

std::string to_string(MatrixLayout layout);
/// "tn", "nn", "nt" or "tt". Throws a usage error.
MatrixLayout parse_matrix_layout(std::string_view text);
/// True where k is the contiguous dimension of A, of B.
bool k_contiguous_a(MatrixLayout layout);
bool k_contiguous_b(MatrixLayout layout);

/// D is m x n (n contiguous), the inner dimension is k; elements, each in [1, 2^31).
struct GemmShape {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool operator==(const GemmShape&) const = default;
};

/// One product with tight rows; D is m x n with n contiguous.
struct Problem {
  GemmShape shape = {};
  DataType dtype = DataType::BF16;         // of A and B; accumulation is fp32
  std::optional<DataType> out_dtype = {};  // of D, where it is not what addend_type() says
  MatrixLayout layout = MatrixLayout::TN;
  bool bias = false;  // adds a row of n elements to every row of D
  bool operator==(const Problem&) const = default;
};

/// Of C and the bias, and of D where nothing else is said.
DataType addend_type(const Problem& problem);
DataType output_type(const Problem& problem);

/// The same problem with `out_dtype` left out where it is addend_type().
Problem normalised(Problem problem);

/// "MxNxK" to a shape. Throws a usage error on anything else, on sizes below `least` and beyond
/// 2^31 - 1.
GemmShape parse_shape(std::string_view text, int64_t least = 1);
std::string to_string(const GemmShape& shape);

/// "4096x4096x4096 bf16 tn", with " -> f32" and " + bias" where they apply.
std::string to_string(const Problem& problem);

/// Multiply-adds counted as two operations.
double flops(const Problem& problem);

/// Bytes of A, B, D and the bias (C, when read, is m x n of the addend's type).
int64_t operand_bytes(const Problem& problem);

}  // namespace tilewright
