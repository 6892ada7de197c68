// Arguments and results of the verification kernels; the host fills and reads the same structs.
#pragma once

#include "map/epilogue.cuh"
#include "map/matrix_op.cuh"

namespace tw {

/// What every byte of D is filled with before a run: a NaN of any type that no arithmetic yields.
inline constexpr int kPoisonByte = 0xFF;

/// A matrix of operands: how far apart neighbours along a line and along k are, elements. Its lines
/// run through all phases, of which the last may count negative.
struct Lines {
  const void* data[kMostPhases] = {};
  int phases = 1;
  int added_phases = kMostPhases;
  long long line_stride = 0;
  long long k_stride = 0;
};

/// What of a square a plane of D has.
struct OutputPart {
  MatrixOp op = MatrixOp::Gemm;
  Uplo uplo = Uplo::Lower;
  int plane = 0;

  constexpr bool has(long long row, long long column) const {
    return is_wanted(op, uplo, row, column);
  }
  /// Where the addend of an element lies in a C of n columns: mirrored elements take what the
  /// computed triangle has, of a Hermitian matrix conjugated.
  constexpr long long addend_at(long long n, long long row, long long column) const {
    return is_mirrored(row, column) ? column * n + row : row * n + column;
  }
  constexpr double addend_sign(long long row, long long column) const {
    return plane > 0 && is_mirrored(row, column) ? -1 : 1;
  }
  constexpr bool is_mirrored(long long row, long long column) const {
    return record_of(op).triangular && uplo == Uplo::Full && column > row;
  }
  /// The imaginary diagonal of a Hermitian matrix is zero, whatever C holds there.
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
  double* magnitudes = nullptr;  // likewise: the sums of the terms' absolute values
  double* squares = nullptr;     // and of their squares
};

struct CompareResult {
  double squared_error = 0;
  double squared_norm = 0;
  unsigned long long bad_count = 0;
  unsigned long long first_bad = ~0ULL;  // linear index in D
  unsigned long long untouched_count = 0;
  unsigned long long first_untouched = ~0ULL;
  unsigned long long stray_count = 0;  // elements that D has not
  unsigned long long first_stray = ~0ULL;
};

/// Which elements of D, m x n, still hold the poison.
struct PoisonArgs {
  const void* d = nullptr;
  long long m = 0;
  long long n = 0;
  OutputPart part;
  CompareResult* result = nullptr;
};

/// D and what its epilogue made of the sums.
struct OutputArgs {
  const void* d = nullptr;     // m x columns() of the output type
  const void* c = nullptr;     // of the addend's type
  const void* bias = nullptr;  // n of that type; null: none is added
  long long m = 0;
  long long n = 0;
  double alpha = 1;  // times the operands' scales
  double beta = 0;
  Activation activation = Activation::None;
  int roundings = 1;  // to D's type that an element's sum went through
  OutputPart part;

  /// Of D, where the sums have n.
  constexpr long long columns() const { return n / columns_of_one(activation); }
};

/// Elements of every block of D that is kSampledBlock x kSampledBlock, at places that the seed
/// draws, against float64.
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

/// Sampled rows (or columns) of the sums, and what D has of them, against their reference. Of a
/// gated activation the sampled columns are pairs of gate and up, one behind the other.
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

/// The 2-norms and 4-norms of lines, to check all of D by sums of its rows over blocks of columns:
/// tools/product_check.cuh.
struct NormArgs {
  Lines matrix;
  long long lines = 0;
  long long k = 0;
  double* twos = nullptr;
  double* fourths = nullptr;
};

/// B's columns, summed with their signs over each block of them: blocks x k of all phases.
struct SignedColumnsArgs {
  Lines b;
  long long n = 0;
  long long k = 0;
  unsigned long long seed = 0;
  double* sums = nullptr;
};

/// A's rows times those: m x blocks.
struct ExpectedSumsArgs {
  Lines a;
  Lines b;  // of blocks that a triangle cuts
  long long m = 0;
  long long n = 0;
  long long k = 0;
  long long blocks = 0;
  const double* signed_columns = nullptr;
  unsigned long long seed = 0;
  OutputPart part;
  double* expected = nullptr;
};

/// What the sums of D say: the first wrong one is named by the linear index of its first element.
struct SumsResult {
  unsigned long long wrong_sums = 0;
  unsigned long long first_wrong = ~0ULL;
};

/// D's own sums against them, of a linear epilogue.
struct CheckSumsArgs {
  OutputArgs output;
  unsigned long long seed = 0;
  double reach = 0;
  const double* expected = nullptr;
  const double* twos_a = nullptr;
  const double* twos_b = nullptr;
  const double* fourths_a = nullptr;
  const double* fourths_b = nullptr;
  double* block_sums = nullptr;  // row blocks x blocks x {residuals, tolerances, values}, from 0
  SumsResult* result = nullptr;
};

}  // namespace tw
