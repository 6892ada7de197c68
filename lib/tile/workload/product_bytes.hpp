// Bytes of a workload's products in memory.
#pragma once

#include <cstddef>

#include "tile/workload/problem.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// What one product reads and writes, each byte once. Exact below 2^53.
struct ProductBytes {
  double operands = 0;  // A and B, with the scales of their blocks of K
  double addends = 0;   // C and the bias, where they are read, and all other scales
  double output = 0;    // D, or its triangle, and its absolute maximum
  bool operator==(const ProductBytes&) const = default;
};

/// Those of product `index`; none where its D has no elements.
ProductBytes product_bytes(const Workload& workload, size_t index);

/// All bytes of a product, and of all products of a workload.
double operand_bytes(const Problem& problem);
double operand_bytes(const Workload& workload);

}  // namespace tilewright
