// Which shared-memory instruction a probe runs; the host writes it, the kernel is specialised on
// it.
#pragma once

namespace tw {

enum class ProbedKind { None, Load, Store, LoadMatrix, StoreMatrix };

/// None runs no instruction: what the counters see of the rest of the kernel.
struct ProbedAccess {
  ProbedKind kind = ProbedKind::None;
  int bytes = 0;     // a lane, or a row of a matrix
  int matrices = 0;  // of matrix instructions
  bool transposed = false;
};

}  // namespace tw
