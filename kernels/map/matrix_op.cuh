// Matrix operations that a launch can compute: one record per operation, read by host and kernels.
#pragma once

namespace tw {

enum class MatrixOp : int { Gemm, Syrk, Syr2k, Her2k };

/// The part of D that a triangular operation stores: one triangle, or the whole square. For the
/// square it computes the lower triangle and mirrors it.
enum class Uplo : int { Lower, Upper, Full };

/// Her2k's matrices are planar: all real parts, then all imaginary ones.
struct OpRecord {
  MatrixOp op;
  const char* name;  // as --op spells it
  bool triangular;   // D is square, and one triangle of it is computed
  bool takes_b;      // else B is A
  int planes;        // per matrix
  int phases;        // products over K that are summed for an element of one plane
};

inline constexpr OpRecord kOps[] = {
    {MatrixOp::Gemm, "gemm", false, true, 1, 1},
    {MatrixOp::Syrk, "syrk", true, false, 1, 1},    // A A'
    {MatrixOp::Syr2k, "syr2k", true, true, 1, 2},   // A B' + B A'
    {MatrixOp::Her2k, "her2k", true, true, 2, 4}};  // the same for complex matrices, B conjugated

constexpr const OpRecord& record_of(MatrixOp op) {
  return kOps[static_cast<int>(op)];
}

/// Most phases of a plane.
inline constexpr int kMaxPhases = 4;

/// The two factors of one phase, as indices into the matrices A, B, imaginary A, imaginary B: rows
/// of `left` times rows of `right`, subtracted where `negative`.
///
///   plane 0   A B' + B A' + iA iB' + iB iA'      plane 1   iA B' + iB A' - A iB' - B iA'
struct PhaseFactors {
  int left = 0;
  int right = 0;
  bool negative = false;
};

constexpr PhaseFactors phase_factors(MatrixOp op, int plane, int phase) {
  const int right = record_of(op).takes_b ? phase ^ 1 : phase;
  return {phase ^ (plane << 1), right, plane == 1 && phase >= kMaxPhases / 2};
}

/// The number of phases of a plane that are added; the phases after them are subtracted.
constexpr int added_phases(MatrixOp op, int plane) {
  const int all = record_of(op).phases;
  return plane == 1 ? all / 2 : all;
}

/// The triangle that is computed.
constexpr Uplo computed_triangle(Uplo uplo) {
  return uplo == Uplo::Upper ? Uplo::Upper : Uplo::Lower;
}

/// True where D has the element: all of D, or its triangle with the diagonal.
constexpr bool is_in_output(MatrixOp op, Uplo uplo, long long row, long long column) {
  if (!record_of(op).triangular || uplo == Uplo::Full) return true;
  return uplo == Uplo::Lower ? column <= row : column >= row;
}

}  // namespace tw
