// Operands that TMA cannot address as they lie.
#pragma once

#include "tile/workload/problem.hpp"

namespace tilewright {

/// True where TMA addresses tight rows of so many elements: multiples of 16 bytes.
bool tma_rows(int64_t elements, DataType type);

/// Which operands of the problem are copied to padded rows before a TMA kernel loads them: those
/// whose contiguous rows are no multiple of 16 bytes.
struct Repacked {
  bool a = false;
  bool b = false;
  bool operator==(const Repacked&) const = default;
};
Repacked repacked_operands(const Problem& problem);

}  // namespace tilewright
