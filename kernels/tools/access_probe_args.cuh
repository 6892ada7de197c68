// The shared-memory instruction that a probe runs: the host sets it, the kernel is specialised on
// it.
#pragma once

namespace tw {

enum class ProbedKind { None, Load, Store, LoadMatrix, StoreMatrix };

/// With None the probe runs no instruction, to measure what the rest of the kernel adds to
/// counters.
struct ProbedAccess {
  ProbedKind kind = ProbedKind::None;
  int bytes = 0;     // per lane, or per row of a matrix
  int matrices = 0;  // for matrix instructions
  bool transposed = false;
};

}  // namespace tw
