// Where the scales of 8-bit operands lie in memory.
#pragma once

#include "map/operand_scale.cuh"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Strides of an operand's scales in elements, and their number. Scale (i, j) of problem p, of line
/// (or 128 lines) i and k-block j, is element i line + j k + p problem. A packed group's rows of A
/// are one operand's; each product has a B.
struct ScaleLayout {
  int64_t line = 0;
  int64_t k = 0;
  int64_t problem = 0;
  int64_t scales_along_lines = 0;  // of one problem
  int64_t scales_along_k = 0;
  int64_t elements = 0;  // of all problems, with padding
  bool operator==(const ScaleLayout&) const = default;
};

/// The layout of an operand's scales; no elements where the operand has none.
ScaleLayout scale_layout(const Workload& workload, Operand operand);

/// The kernel's argument for scales at `data`.
tw::ScaleArgs scale_args(const ScaleLayout& layout, const float* data);

/// Bytes of an operand's scales, those of all problems.
int64_t scale_bytes(const Workload& workload, Operand operand);

}  // namespace tilewright
