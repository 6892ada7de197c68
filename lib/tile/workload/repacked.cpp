#include "tile/workload/repacked.hpp"

namespace tilewright {

bool tma_rows(int64_t elements, DataType type) {
  constexpr int64_t kUnit = 16;
  return elements * bytes_of(type) % kUnit == 0;
}

Repacked repacked_operands(const Problem& p) {
  const GemmShape& s = p.shape;
  return {.a = !tma_rows(k_contiguous_a(p.kind.layout) ? s.k : s.m, p.kind.dtype),
          .b = !tma_rows(k_contiguous_b(p.kind.layout) ? s.k : s.n, p.kind.dtype)};
}

}  // namespace tilewright
