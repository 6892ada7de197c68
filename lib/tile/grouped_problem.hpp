// A list of products that one launch computes, and which operation they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tile/problem.hpp"

namespace tilewright {

enum class MatrixOp { Gemm, Syrk, Syr2k, Her2k };
enum class Uplo { Lower, Upper };

/// Shapes of one operation; rank-k and rank-2k shapes are N x N x K.
struct GroupedProblem {
  std::vector<GemmShape> shapes;
  MatrixOp op = MatrixOp::Gemm;
  Uplo uplo = Uplo::Lower;
  bool operator==(const GroupedProblem&) const = default;
};

/// "gemm", "syrk", "syr2k" or "her2k". Throws a usage error.
MatrixOp parse_op(std::string_view text);
/// "lower" or "upper". Throws a usage error.
Uplo parse_uplo(std::string_view text);
std::string to_string(MatrixOp op);
std::string to_string(Uplo uplo);

/// "MxNxK" or several with commas between. Throws a usage error; triangular operations want M = N.
GroupedProblem parse_grouped_problem(std::string_view text, MatrixOp op, Uplo uplo);

/// "1152x768x128,1152x768x1024".
std::string to_string(const GroupedProblem& problem);

/// Main loops over K that a tile runs: a rank-2k update adds A B' and B A'.
int phases(MatrixOp op);

}  // namespace tilewright
