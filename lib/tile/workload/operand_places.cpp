#include "tile/workload/operand_places.hpp"

namespace tilewright {
namespace {

int64_t or_tight(int64_t pitch, int64_t row_elements) {
  return pitch > 0 ? pitch : row_elements;
}

}  // namespace

Pitches pitches_of(const Problem& problem, const OperandPlaces& places) {
  const GemmShape& s = problem.shape;
  const MatrixLayout layout = problem.kind.layout;
  return {.a = or_tight(places.a.pitch, is_k_major_a(layout) ? s.k : s.m),
          .b = or_tight(places.b.pitch, is_k_major_b(layout) ? s.k : s.n),
          .c = or_tight(places.c.pitch, s.n),
          .d = or_tight(places.d.pitch, output_columns(problem.kind, s.n))};
}

bool tma_rows(int64_t pitch, DataType type, int alignment) {
  constexpr int kUnit = 16;
  return pitch * bytes_of(type) % kUnit == 0 && alignment % kUnit == 0;
}

Repacked repacked_operands(const Problem& problem, const OperandPlaces& places) {
  const Pitches pitch = pitches_of(problem, places);
  const DataType type = problem.kind.dtype;
  return {.a = !tma_rows(pitch.a, type, places.a.alignment),
          .b = !tma_rows(pitch.b, type, places.b.alignment)};
}

}  // namespace tilewright
