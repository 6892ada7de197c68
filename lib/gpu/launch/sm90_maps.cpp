#include "gpu/launch/sm90_maps.hpp"

#include <utility>

#include "gpu/launch/tensor_map.hpp"

namespace tilewright {
namespace {

Matrix operand(const void* data, int64_t lines, int64_t k, bool mn_major, int64_t pitch) {
  return mn_major ? Matrix{data, k, lines, pitch} : Matrix{data, lines, k, pitch};
}

// How an operand's lines (rows of A, columns of B) are loaded: `lines` per stage, by `sharers`
// CTAs.
struct OperandLoad {
  bool mn_major = false;
  int lines = 0;
  int sharers = 1;
  int stage_k = 0;  // depth of a stage, elements
  bool stacked = false;
};

// Each CTA of a cluster loads its share of the operand that the cluster has in common: some lines
// of a K-major operand, a range of k of an MN-major operand's slabs.
CUtensorMap operand_map(const Matrix& matrix, DataType dtype, const OperandLoad& load,
                        int l2_promotion_bytes) {
  TensorBox box{.l2_promotion_bytes = l2_promotion_bytes};
  if (load.mn_major) {
    box.rows = load.stage_k / load.sharers;
    box.columns = tw::Sm90Params::kSlabLines;
  } else {
    const int lines_of_one = load.lines / load.sharers;
    box.rows = lines_of_one / tw::Sm90Params::boxes(lines_of_one);
    box.columns = load.stage_k;
  }
  if (load.stacked) {
    return make_stacked_map(matrix.data, dtype, matrix.rows, matrix.columns, matrix.pitch, box);
  }
  return make_tensor_map(matrix.data, dtype, matrix.rows, matrix.columns, matrix.pitch, box);
}

}  // namespace

Matrix operand_a(const Problem& p, const OperandSet& o, const OperandPlaces& places) {
  return operand(o.a, p.shape.m, p.shape.k, !is_k_major_a(p.kind.layout), pitches_of(p, places).a);
}

Matrix operand_b(const Problem& p, const OperandSet& o, const OperandPlaces& places) {
  return operand(o.b, p.shape.n, p.shape.k, !is_k_major_b(p.kind.layout), pitches_of(p, places).b);
}

CUtensorMap Sm90Maps::left_map(const Matrix& matrix, DataType dtype) const {
  return operand_map(
      matrix, dtype,
      {params_.a_mn_major, params_.cta_m, params_.cluster_n, params_.cta_k, params_.stacked_a()},
      l2_promotion_bytes_);
}

CUtensorMap Sm90Maps::right_map(const Matrix& matrix, DataType dtype) const {
  return operand_map(
      matrix, dtype,
      {params_.b_mn_major, params_.cta_n, params_.cluster_m, params_.cta_k, params_.stacked_b()},
      l2_promotion_bytes_);
}

// One store moves 64 tile rows x `columns`: rows of D, or columns of D in a swapped kernel.
CUtensorMap Sm90Maps::output_map(const Problem& problem, void* d, int64_t ldd, int columns) const {
  const int sum_columns = params_.epilogue.sum_columns_per_output();
  constexpr int kRows = tw::Sm90Params::kMmaM;
  const TensorBox box = params_.swap_ab
                            ? TensorBox{.rows = columns, .columns = kRows / sum_columns}
                            : TensorBox{.rows = kRows, .columns = columns / sum_columns};
  return make_tensor_map(d, output_type(problem.kind), problem.shape.m,
                         problem.shape.n / sum_columns, ldd, box);
}

ProductMaps Sm90Maps::product_maps(const Problem& problem, Matrix a, Matrix b, void* d,
                                   int64_t ldd) const {
  ProductMaps maps{};
  if (params_.swap_ab) std::swap(a, b);
  if (problem.shape.k > 0) {
    maps.a = left_map(a, problem.kind.dtype);
    maps.b = right_map(b, problem.kind.dtype);
  }
  if (params_.direct_store) return maps;
  maps.d = output_map(problem, d, ldd, params_.store_columns);
  const int tail = params_.share_params().tail_columns();
  if (tail > 0) maps.d_tail = output_map(problem, d, ldd, tail);
  return maps;
}

// Maps of A, B and their second planes, each as rows of a tile and as its columns.
PhaseMaps Sm90Maps::phase_maps(const Problem& p, const OperandSet& operands,
                               const OperandPlaces& places) const {
  PhaseMaps maps{};
  if (!params_.triangular()) return maps;
  const Pitches pitch = pitches_of(p, places);
  const int64_t rows = params_.a_mn_major ? p.shape.k : p.shape.n;
  const auto matrix = [&](int number) {
    const bool is_a = number % 2 == 0;
    const int64_t apart = is_a ? pitch.a : pitch.b;
    return operand(plane_of(is_a ? operands.a : operands.b, number / 2, rows * apart, p.kind.dtype),
                   p.shape.n, p.shape.k, params_.a_mn_major, apart);
  };
  for (int phase = 0; phase < params_.phases() && p.shape.k > 0; ++phase) {
    const tw::PhaseFactors factors = tw::phase_factors(params_.op, 0, phase);
    maps.left[phase] = left_map(matrix(factors.left), p.kind.dtype);
    maps.right[phase] = right_map(matrix(factors.right), p.kind.dtype);
  }
  if (params_.planes() == 1 || params_.direct_store) return maps;
  void* const second =
      const_cast<void*>(plane_of(operands.d, 1, p.shape.n * pitch.d, output_type(p.kind)));
  maps.d = output_map(p, second, pitch.d, params_.store_columns);
  if (params_.tail_columns() > 0) {
    maps.d_tail = output_map(p, second, pitch.d, params_.tail_columns());
  }
  return maps;
}

}  // namespace tilewright
