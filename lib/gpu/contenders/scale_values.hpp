// Values of 8-bit operands' scales, as they lie in a set of operands.
#pragma once

#include <cstdint>
#include <vector>

#include "tile/workload/workload.hpp"

namespace tilewright {

/// The scales of A and of B, one after the other. Where no scale belongs there are NaNs, which a
/// kernel that reads padding or neighbours carries into D: between the rows of scales, and in zones
/// around both operands'.
struct ScaleValues {
  std::vector<float> values;
  int64_t a_offset = 0;  // elements
  int64_t b_offset = 0;
};

/// Scales for the workload; no values where it has none. Those of rows, columns and blocks are
/// random, evenly distributed by logarithm from 2^-10 to 2^10.
ScaleValues scale_values(const Workload& workload, uint64_t seed);

}  // namespace tilewright
