// What one launch computes: an operation on one product or on a group of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "map/matrix_op.cuh"
#include "tile/workload/problem.hpp"

namespace tilewright {

using tw::MatrixOp;
using tw::Uplo;

/// Products of one kind; rank-k and rank-2k shapes are N x N x K. In a group m, n and k may be 0:
/// nothing to compute, or beta C alone.
struct Workload {
  MatrixOp op = MatrixOp::Gemm;
  Uplo uplo = Uplo::Lower;  // of rank-k and rank-2k outputs
  ProductKind kind = {};
  std::vector<GemmShape> shapes;
  bool operator==(const Workload&) const = default;
};

inline constexpr std::string_view kUplos[] = {"lower", "upper", "full"};

/// The workload of one product.
Workload workload_of(const Problem& problem);

/// Product `index` of the workload by itself; of a rank-k or rank-2k update the product that its
/// full square is.
Problem problem_of(const Workload& workload, size_t index);

/// The names of kOps.
std::vector<std::string_view> op_names();

/// One of op_names(). Throws a usage error.
MatrixOp parse_op(std::string_view text);
/// One of kUplos. Throws a usage error.
Uplo parse_uplo(std::string_view text);
std::string to_string(MatrixOp op);
std::string to_string(Uplo uplo);

/// "MxNxK" or several with commas between, which then may have zeros. Throws a usage error;
/// triangular operations want M = N.
std::vector<GemmShape> parse_shapes(std::string_view text, MatrixOp op);
/// The same from one text a shape.
std::vector<GemmShape> parse_shapes(const std::vector<std::string>& texts, MatrixOp op);

/// "1152x768x128,1152x768x1024".
std::string shapes_text(const Workload& workload);

/// True of a group of products, empty ones among them.
bool is_group(const Workload& workload);

/// How the operands of a group lie.
enum class Packing {
  Rows,   // the products differ in M alone: rows of A and of D lie one behind the other
  Depth,  // in K alone: rows of A' and of B lie one behind the other, as do the products' D
  None,   // each has its own places
};

/// Rows where the products share N, K and layout tn; Depth where they share M, N and layout nt.
Packing packing_of(const Workload& workload);

/// True for a group whose products have sizes, and so tensor maps, of their own.
bool has_own_sizes(const Workload& workload);

/// True of one product that is no update of a triangle: what problem_of() holds all of.
bool is_product(const Workload& workload);

/// The rows of all products of a group together.
int64_t total_rows(const Workload& workload);

/// Of products that differ in their rows alone the one that has the rows of all: what packed
/// operands look like, but for B, of which every product has its own.
Problem packed_product(const Workload& workload);

/// One product as to_string(Problem) has it, of a triangle with ", syrk lower"; "64 products of 26
/// to 1763 rows, 8192x2048x2048 bf16 tn in all" of a group.
std::string to_string(const Workload& workload);
/// The same with the sizes of every product: no two workloads have one text.
std::string full_text(const Workload& workload);

/// Of all products; multiply-adds counted as two operations, of a triangle those of its elements
/// alone.
double flops(const Workload& workload);

/// Bytes that the products read and write: A, B, D or its triangle, and the bias.
int64_t operand_bytes(const Workload& workload);

/// True where a triangle of the output is computed.
bool is_triangular(const Workload& workload);
/// True where it is also stored as the other triangle.
bool is_mirrored(const Workload& workload);

/// Main loops over K that a tile runs: those of every plane.
int phases(MatrixOp op);

}  // namespace tilewright
