#include "tile/workload/workload.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr std::array<std::string_view, 4> kOps = {"gemm", "syrk", "syr2k", "her2k"};

}  // namespace

Workload workload_of(const Problem& p) {
  return {.dtype = p.dtype,
          .out_dtype = p.out_dtype,
          .layout = p.layout,
          .bias = p.bias,
          .shapes = {p.shape}};
}

Problem problem_of(const Workload& w, size_t index) {
  return {.shape = w.shapes[index],
          .dtype = w.dtype,
          .out_dtype = w.out_dtype,
          .layout = w.layout,
          .bias = w.bias};
}

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

std::vector<GemmShape> parse_shapes(const std::vector<std::string>& texts, MatrixOp op) {
  std::vector<GemmShape> shapes;
  for (const std::string& text : texts) {
    const GemmShape shape = parse_shape(text, texts.size() > 1 ? 0 : 1);
    if (op != MatrixOp::Gemm && shape.m != shape.n) {
      throw usage_error(
          format("'{}': the output of {} is square; write NxNxK", text, to_string(op)));
    }
    shapes.push_back(shape);
  }
  return shapes;
}

std::vector<GemmShape> parse_shapes(std::string_view text, MatrixOp op) {
  const std::vector<std::string_view> parts = split(text, ',');
  return parse_shapes(std::vector<std::string>(parts.begin(), parts.end()), op);
}

std::string shapes_text(const Workload& workload) {
  std::vector<std::string> parts;
  for (const GemmShape& shape : workload.shapes) parts.push_back(to_string(shape));
  return join(parts, ",");
}

bool is_group(const Workload& workload) {
  return workload.shapes.size() != 1;
}

int64_t total_rows(const Workload& workload) {
  int64_t rows = 0;
  for (const GemmShape& shape : workload.shapes) rows += shape.m;
  return rows;
}

Problem packed_product(const Workload& workload) {
  Problem packed = problem_of(workload, 0);
  packed.shape.m = total_rows(workload);
  return packed;
}

std::string to_string(const Workload& w) {
  if (!is_group(w)) return to_string(problem_of(w, 0));
  const auto fewer_rows = [](const GemmShape& a, const GemmShape& b) { return a.m < b.m; };
  const auto [least, most] = std::minmax_element(w.shapes.begin(), w.shapes.end(), fewer_rows);
  const std::string rows =
      least->m == most->m ? format("{}", most->m) : format("{} to {}", least->m, most->m);
  return format("{} products of {} rows, {} in all", w.shapes.size(), rows,
                to_string(packed_product(w)));
}

double flops(const Workload& workload) {
  double sum = 0;
  for (size_t i = 0; i < workload.shapes.size(); ++i) sum += flops(problem_of(workload, i));
  return sum;
}

int64_t operand_bytes(const Workload& workload) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  int64_t sum = 0;
  for (size_t i = 0; i < workload.shapes.size(); ++i) {
    // What has no rows reads no weights.
    if (workload.shapes[i].m == 0) continue;
    const int64_t own = operand_bytes(problem_of(workload, i));
    sum = own > kMost - sum ? kMost : sum + own;
  }
  return sum;
}

bool is_triangular(const Workload& workload) {
  return workload.op != MatrixOp::Gemm;
}

int phases(MatrixOp op) {
  return op == MatrixOp::Syr2k || op == MatrixOp::Her2k ? 2 : 1;
}

}  // namespace tilewright
