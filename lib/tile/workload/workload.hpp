// The work of one launch: an operation on one product or on a group of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "map/matrix_op.cuh"
#include "tile/workload/parallel.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

using tw::MatrixOp;
using tw::Uplo;

/// Products of one kind; rank-k and rank-2k shapes are N x N x K. In a group m, n and k may be 0:
/// nothing to compute, or beta C alone. Where GPUs share a product, the shape is that of the
/// product that each of them computes; texts and files have the whole product.
struct Workload {
  MatrixOp op = MatrixOp::Gemm;
  Uplo uplo = Uplo::Lower;  // of rank-k and rank-2k outputs
  ProductKind kind = {};
  std::vector<GemmShape> shapes;
  Parallel parallel = {};
  bool operator==(const Workload&) const = default;
};

inline constexpr std::string_view kUplos[] = {"lower", "upper", "full"};

/// The workload of one product.
Workload workload_of(const Problem& problem);

/// Product `index` of the workload on its own; for a rank-k or rank-2k update the product of its
/// full square.
Problem problem_of(const Workload& workload, size_t index);

/// The names of kOps.
std::vector<std::string_view> op_names();

/// Parses one of op_names(). Throws a usage error.
MatrixOp parse_op(std::string_view text);
/// Parses one of kUplos. Throws a usage error.
Uplo parse_uplo(std::string_view text);
std::string to_string(MatrixOp op);
std::string to_string(Uplo uplo);

/// "MxNxK", or several separated by commas, which may then have zeros; "BxMxNxK" stands for a
/// batch, B equal products with matrices one behind the other in memory. Throws a usage error;
/// triangular operations need M = N.
std::vector<GemmShape> parse_shapes(std::string_view text, MatrixOp op);
/// The same, from one text per shape.
std::vector<GemmShape> parse_shapes(const std::vector<std::string>& texts, MatrixOp op);
/// Throws a usage error for a triangular operation on a product with M other than N.
void require_square(const GemmShape& shape, MatrixOp op);

/// The workload of products of these sizes, which the GPUs of `kind` share. Throws a usage error
/// where they cannot share them, and for groups and updates of a triangle across GPUs.
Workload with_shapes(Workload kind, std::vector<GemmShape> whole);

/// "1152x768x128,1152x768x1024", the whole products where GPUs share them.
std::string shapes_text(const Workload& workload);

/// True where several GPUs compute the product together.
bool is_across_gpus(const Workload& workload);

/// True for a group of products, also for an empty one.
bool is_group(const Workload& workload);

/// True for a group of equal products.
bool is_batch(const Workload& workload);

/// The placement of a group's operands.
enum class Packing {
  Rows,   // the products differ in M only: rows of A and of D lie one after the other
  Depth,  // in K only: rows of A' and of B lie one after the other, as do the products' D
  None,   // each has places of its own
};

/// Rows where the products share N and K and have layout tn; Depth where they share M and N and
/// have layout nt.
Packing packing_of(const Workload& workload);

/// True for a group of products with sizes, and so tensor maps, of their own.
bool has_per_problem_shapes(const Workload& workload);

/// True for one product that is no update of a triangle, so that problem_of() describes it fully.
bool is_product(const Workload& workload);

/// The rows of all products of a group together.
int64_t total_rows(const Workload& workload);

/// For products that differ in their rows only: one product with all rows. It describes the packed
/// operands, except that every product has a B of its own.
Problem packed_product(const Workload& workload);

/// One product as to_string(Problem) prints it, for a triangle with ", syrk lower"; for a group "64
/// products of 26 to 1763 rows, 8192x2048x2048 bf16 tn in all".
std::string to_string(const Workload& workload);
/// The same with the sizes of every product: different workloads have different texts.
std::string full_text(const Workload& workload);

/// Operations of all products; multiply-adds count as two. For a triangle only those of its
/// elements.
double flops(const Workload& workload);

/// Elements of a product's D that are computed, and of those that are stored, in all planes. A
/// mirrored triangle is stored as its square, a gated product in half its columns.
double computed_elements(const Workload& workload, const GemmShape& shape);
double stored_elements(const Workload& workload, const GemmShape& shape);

/// True where a triangle of the output is computed.
bool is_triangular(const Workload& workload);
/// True where it is also stored as the other triangle.
bool is_mirrored(const Workload& workload);

/// Main loops over K of a tile, for all planes.
int phases(MatrixOp op);

}  // namespace tilewright
