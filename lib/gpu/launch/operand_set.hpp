// Device addresses of what a product reads and writes.
#pragma once

#include "tile/workload/problem.hpp"

namespace tilewright {

/// One set of operands, in the problem's layout with tight rows.
struct OperandSet {
  const void* a = nullptr;
  const void* b = nullptr;
  const void* c = nullptr;     // m x n of A's type, read when beta is not 0
  const void* bias = nullptr;  // n of A's type, of problems with a bias
  void* d = nullptr;
};

/// D = alpha * A B + beta * C + bias.
struct Scaling {
  float alpha = 1;
  float beta = 0;
  bool operator==(const Scaling&) const = default;
};

}  // namespace tilewright
