#include "tile/grouped_problem.hpp"

#include <array>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr std::array<std::string_view, 4> kOps = {"gemm", "syrk", "syr2k", "her2k"};

}  // namespace

MatrixOp parse_op(std::string_view text) {
  for (size_t i = 0; i < kOps.size(); ++i) {
    if (kOps[i] == text) return static_cast<MatrixOp>(i);
  }
  throw usage_error(format("unknown operation '{}': --op is gemm, syrk, syr2k or her2k{}", text,
                           did_you_mean(text, kOps)));
}

Uplo parse_uplo(std::string_view text) {
  if (text == "lower") return Uplo::Lower;
  if (text == "upper") return Uplo::Upper;
  throw usage_error(format("unknown triangle '{}': --uplo is lower or upper", text));
}

std::string to_string(MatrixOp op) {
  return std::string(kOps[static_cast<size_t>(op)]);
}

std::string to_string(Uplo uplo) {
  return uplo == Uplo::Lower ? "lower" : "upper";
}

GroupedProblem parse_grouped_problem(std::string_view text, MatrixOp op, Uplo uplo) {
  GroupedProblem problem{.shapes = {}, .op = op, .uplo = uplo};
  for (const std::string_view part : split(text, ',')) {
    const GemmShape shape = parse_shape(part);
    if (op != MatrixOp::Gemm && shape.m != shape.n) {
      throw usage_error(
          format("'{}': the output of {} is square; write NxNxK", part, to_string(op)));
    }
    problem.shapes.push_back(shape);
  }
  return problem;
}

std::string to_string(const GroupedProblem& problem) {
  std::vector<std::string> parts;
  for (const GemmShape& shape : problem.shapes) parts.push_back(to_string(shape));
  return join(parts, ",");
}

int phases(MatrixOp op) {
  return op == MatrixOp::Syr2k || op == MatrixOp::Her2k ? 2 : 1;
}

}  // namespace tilewright
