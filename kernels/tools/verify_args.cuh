// Arguments and results of the verification kernels; the host fills and reads the same structs.
#pragma once

#include "map/epilogue.cuh"
#include "map/matrix_op.cuh"
#include "map/operand_scale.cuh"

namespace tw {

/// Every byte of D before a run: the bits are a NaN of any type that no arithmetic produces.
inline constexpr int kPoisonByte = 0xFF;

/// A matrix of operands and the distance of neighbours along a line and along k, in elements. Its
/// lines run through all phases; the phases from `added_phases` on count negative.
struct Lines {
  const void* data[kMaxPhases] = {};
  int phases = 1;
  int added_phases = kMaxPhases;
  long long line_stride = 0;
  long long k_stride = 0;
  // Factors of the elements, unless there are none: of lines_per_scale lines x 128 of K each, or of
  // all K where the stride along it is 0.
  ScaleArgs scales = {};
  int lines_per_scale = 1;
};

/// The part of a square that one plane of D stores.
struct OutputPart {
  MatrixOp op = MatrixOp::Gemm;
  Uplo uplo = Uplo::Lower;
  int plane = 0;

  constexpr bool has(long long row, long long column) const {
    return is_in_output(op, uplo, row, column);
  }
  /// Where the addend of an element lies in a C of n columns: mirrored elements use that of the
  /// computed triangle, conjugated for a Hermitian matrix.
  constexpr long long addend_at(long long n, long long row, long long column) const {
    return is_mirrored(row, column) ? column * n + row : row * n + column;
  }
  constexpr double addend_sign(long long row, long long column) const {
    return plane > 0 && is_mirrored(row, column) ? -1 : 1;
  }
  constexpr bool is_mirrored(long long row, long long column) const {
    return record_of(op).triangular && uplo == Uplo::Full && column > row;
  }
  /// The imaginary diagonal of a Hermitian matrix is zero, regardless of C.
  constexpr bool is_zero(long long row, long long column) const {
    return plane > 0 && row == column;
  }
};

/// Lines `samples` of `left` against all lines of `right`, each k long in every phase.
struct ReferenceArgs {
  Lines left;
  Lines right;
  const int* samples = nullptr;
  int sample_count = 0;
  long long right_lines = 0;
  long long k = 0;
  double* sums = nullptr;        // sample_count x right_lines
  double* magnitudes = nullptr;  // likewise, the sums of the terms' absolute values
  double* squares = nullptr;     // likewise, of their squares
};

struct CompareResult {
  double squared_error = 0;
  double squared_norm = 0;
  double squared_terms = 0;         // of the products and addends, without saturated elements
  unsigned long long compared = 0;  // elements that these sums are of
  unsigned long long bad_count = 0;
  unsigned long long first_bad = ~0ULL;  // linear index in D
  unsigned long long untouched_count = 0;
  unsigned long long first_untouched = ~0ULL;
  unsigned long long outside_count = 0;  // elements that were written outside of D's part
  unsigned long long first_outside = ~0ULL;
  unsigned most = 0;  // bits of the largest absolute value of D; NaN is largest
};

/// D, m x n, to be searched for elements that still hold the poison.
struct PoisonArgs {
  const void* d = nullptr;
  long long m = 0;
  long long n = 0;
  OutputPart part;
  CompareResult* result = nullptr;
};

/// D and the epilogue that computed it from the sums.
struct OutputArgs {
  const void* d = nullptr;     // m x columns() of the output type
  const void* c = nullptr;     // of the addend's type
  const void* bias = nullptr;  // n of that type, with row_bias m; null: no bias
  long long m = 0;
  long long n = 0;
  double alpha = 1;  // times the operands' scales
  double beta = 0;
  Activation activation = Activation::None;
  int roundings = 1;  // to D's type, of an element's sum
  OutputPart part;
  bool row_bias = false;
  bool stacked = false;  // gates in the first half of the columns, ups in the second
  double scale_d = 1;

  /// Columns of D; the sums have n.
  constexpr long long columns() const { return n / sum_columns_per_output(activation); }
  constexpr bool gated() const { return sum_columns_per_output(activation) > 1; }
  /// The column of the sums from which a column of D begins: a gate's in a gated product.
  constexpr long long gate_column(long long column) const {
    return gated() && !stacked ? 2 * column : column;
  }
  /// From a gate's column to its up's.
  constexpr long long up_distance() const { return stacked ? n / 2 : 1; }
  constexpr bool is_gate(long long column) const {
    return !gated() || (stacked ? column < n / 2 : column % 2 == 0);
  }
  /// The column of D that a gate's column belongs to.
  constexpr long long output_column(long long gate) const {
    return gated() && !stacked ? gate / 2 : gate;
  }
};

/// Compares with float64 some elements, at random positions from the seed, of every block of
/// kSampledBlock x kSampledBlock of D.
struct SampleArgs {
  static constexpr int kSampledBlock = 64;
  static constexpr int kPerBlock = 16;
  OutputArgs output;
  Lines a;
  Lines b;
  long long k = 0;
  unsigned long long seed = 0;
  CompareResult* result = nullptr;
};

/// Compares sampled rows (or columns) of D with their reference. In a gated activation the sampled
/// columns are pairs of gate and up, one behind the other.
struct CompareArgs {
  OutputArgs output;
  const int* samples = nullptr;
  int sample_count = 0;
  long long line_length = 0;
  bool lines_are_rows = true;
  const double* sums = nullptr;
  const double* magnitudes = nullptr;
  const double* squares = nullptr;
  CompareResult* result = nullptr;
};

/// Computes 2-norms and 4-norms of lines, with which all of D is checked by sums of its rows over
/// blocks of columns (tools/product_check.cuh).
struct NormArgs {
  Lines matrix;
  long long lines = 0;
  long long k = 0;
  double* twos = nullptr;
  double* fourths = nullptr;
};

/// Sums B's columns with their signs over each block of columns: blocks x k for all phases.
struct SignedColumnsArgs {
  Lines b;
  long long n = 0;
  long long k = 0;
  unsigned long long seed = 0;
  double* sums = nullptr;
};

/// Multiplies A's rows by those sums: m x blocks.
struct ExpectedSumsArgs {
  Lines a;
  Lines b;  // read for blocks that a triangle cuts
  long long m = 0;
  long long n = 0;
  long long k = 0;
  long long blocks = 0;
  const double* signed_columns = nullptr;
  unsigned long long seed = 0;
  OutputPart part;
  double* expected = nullptr;
};

/// The result of the check by sums; `first_wrong` is the linear index of a sum's first element.
struct SumsResult {
  unsigned long long wrong_sums = 0;
  unsigned long long first_wrong = ~0ULL;
};

/// Compares D's own sums with the expected ones; the epilogue must be linear.
struct CheckSumsArgs {
  OutputArgs output;
  unsigned long long seed = 0;
  double bound = 0;
  const double* expected = nullptr;
  const double* twos_a = nullptr;
  const double* twos_b = nullptr;
  const double* fourths_a = nullptr;
  const double* fourths_b = nullptr;
  double* block_sums = nullptr;  // row blocks x blocks x {residuals, tolerances, values}, from 0
  SumsResult* result = nullptr;
};

}  // namespace tw
