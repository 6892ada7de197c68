// TMA descriptors.
#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>

#include "tile/workload/problem.hpp"

namespace tilewright {

/// A box of a matrix that one TMA instruction moves, and how it lies in shared memory.
struct TensorBox {
  int rows = 0;
  int columns = 0;  // 16 to 128 bytes; rows of 64 and 128 bytes are swizzled over their span
  int l2_promotion_bytes = 0;
};

/// Describes `rows` x `columns` elements at `data` (16-byte aligned), rows `stride` elements apart
/// (a multiple of 16 bytes). Throws an environment error if the driver refuses.
CUtensorMap make_tensor_map(const void* data, DataType dtype, int64_t rows, int64_t columns,
                            int64_t stride, const TensorBox& box);

/// The same for `rows` (an even number) whose box takes a row of either half in turn: its
/// dimensions are columns, the two halves, rows of a half.
CUtensorMap make_stacked_map(const void* data, DataType dtype, int64_t rows, int64_t columns,
                             int64_t stride, const TensorBox& box);

/// A tensor for TMA; lists begin with the innermost dimension, which has no stride.
struct TensorMapShape {
  DataType element = DataType::BF16;
  int dimensions = 0;                    // 1 to 5
  std::array<uint64_t, 5> extents = {};  // elements
  std::array<uint64_t, 4> strides = {};  // bytes, multiples of 16
  std::array<uint32_t, 5> box = {};      // elements
  int swizzle_bytes = 0;                 // 0, 32, 64 or 128
  int l2_promotion_bytes = 0;
};

/// Describes a tensor at `data` (16-byte aligned). Throws an environment error if the driver
/// refuses.
CUtensorMap make_tensor_map(const void* data, const TensorMapShape& shape);

}  // namespace tilewright
