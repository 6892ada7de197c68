#include "gpu/launch/tensor_map.hpp"

#include <cudaTypedefs.h>

#include "base/error.hpp"
#include "gpu/launch/check.hpp"

namespace tilewright {
namespace {

PFN_cuTensorMapEncodeTiled_v12000 encode_function() {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  TW_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                            cudaEnableDefault, &found));
  if (found != cudaDriverEntryPointSuccess) {
    throw environment_error("the driver has no cuTensorMapEncodeTiled; it needs CUDA 12 or later");
  }
  return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(entry);
}

CUtensorMapSwizzle swizzle_of(int bytes) {
  switch (bytes) {
    case 32: return CU_TENSOR_MAP_SWIZZLE_32B;
    case 64: return CU_TENSOR_MAP_SWIZZLE_64B;
    case 128: return CU_TENSOR_MAP_SWIZZLE_128B;
    default: return CU_TENSOR_MAP_SWIZZLE_NONE;
  }
}

CUtensorMapDataType type_of(DataType dtype) {
  switch (dtype) {
    case DataType::BF16: return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case DataType::F16: return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case DataType::F32: return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case DataType::E4M3:
    case DataType::E5M2: return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  }
  throw internal_error("a data type that TMA does not know");
}

CUtensorMapL2promotion promotion_of(int bytes) {
  switch (bytes) {
    case 64: return CU_TENSOR_MAP_L2_PROMOTION_L2_64B;
    case 128: return CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
    case 256: return CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
    default: return CU_TENSOR_MAP_L2_PROMOTION_NONE;
  }
}

// The shape of rows that a box loads with the swizzle of its width.
TensorMapShape rows_shape(DataType dtype, int64_t columns, const TensorBox& box) {
  const int row_bytes = box.columns * bytes_of(dtype);
  TensorMapShape shape{.element = dtype, .dimensions = 1};
  shape.extents[0] = static_cast<uint64_t>(columns);
  shape.box[0] = static_cast<uint32_t>(box.columns);
  shape.swizzle_bytes = row_bytes == 128 || row_bytes == 64 ? row_bytes : 0;
  shape.l2_promotion_bytes = box.l2_promotion_bytes;
  return shape;
}

// Adds a dimension whose elements are `stride` elements apart.
void add_dimension(TensorMapShape& shape, int64_t extent, int64_t stride, int box) {
  const auto at = static_cast<size_t>(shape.dimensions++);
  shape.extents[at] = static_cast<uint64_t>(extent);
  shape.strides[at - 1] = static_cast<uint64_t>(stride * bytes_of(shape.element));
  shape.box[at] = static_cast<uint32_t>(box);
}

}  // namespace

CUtensorMap make_tensor_map(const void* data, DataType dtype, int64_t rows, int64_t columns,
                            int64_t stride, const TensorBox& box) {
  TensorMapShape shape = rows_shape(dtype, columns, box);
  add_dimension(shape, rows, stride, box.rows);
  return make_tensor_map(data, shape);
}

CUtensorMap make_stacked_map(const void* data, DataType dtype, int64_t rows, int64_t columns,
                             int64_t stride, const TensorBox& box) {
  TensorMapShape shape = rows_shape(dtype, columns, box);
  add_dimension(shape, 2, rows / 2 * stride, 2);
  add_dimension(shape, rows / 2, stride, box.rows / 2);
  return make_tensor_map(data, shape);
}

CUtensorMap make_tensor_map(const void* data, const TensorMapShape& shape) {
  static const PFN_cuTensorMapEncodeTiled_v12000 encode = encode_function();
  const std::array<cuuint32_t, 5> element_steps = {1, 1, 1, 1, 1};
  CUtensorMap map{};
  TW_CHECK(encode(&map, type_of(shape.element), static_cast<cuuint32_t>(shape.dimensions),
                  const_cast<void*>(data), shape.extents.data(), shape.strides.data(),
                  shape.box.data(), element_steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
                  swizzle_of(shape.swizzle_bytes), promotion_of(shape.l2_promotion_bytes),
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  return map;
}

}  // namespace tilewright
