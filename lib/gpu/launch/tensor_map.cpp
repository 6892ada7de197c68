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

CUtensorMapSwizzle swizzle_of(int row_bytes) {
  if (row_bytes == 128) return CU_TENSOR_MAP_SWIZZLE_128B;
  return row_bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_NONE;
}

CUtensorMapDataType type_of(DataType dtype) {
  switch (dtype) {
    case DataType::BF16: return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case DataType::F16: return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case DataType::F32: return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case DataType::E4M3: return CU_TENSOR_MAP_DATA_TYPE_UINT8;
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

// One dimension beyond the contiguous one.
struct OuterDimension {
  int64_t extent = 0;
  int64_t stride = 0;  // elements
  int box = 0;
};

template <size_t Count>
CUtensorMap encode_map(const void* data, DataType dtype, int64_t columns,
                       const OuterDimension (&outer)[Count], const TensorBox& box) {
  static const PFN_cuTensorMapEncodeTiled_v12000 encode = encode_function();
  cuuint64_t extents[Count + 1] = {static_cast<cuuint64_t>(columns)};
  cuuint64_t stride_bytes[Count] = {};
  cuuint32_t box_extents[Count + 1] = {static_cast<cuuint32_t>(box.columns)};
  cuuint32_t element_steps[Count + 1] = {1};
  for (size_t i = 0; i < Count; ++i) {
    extents[i + 1] = static_cast<cuuint64_t>(outer[i].extent);
    stride_bytes[i] = static_cast<cuuint64_t>(outer[i].stride * bytes_of(dtype));
    box_extents[i + 1] = static_cast<cuuint32_t>(outer[i].box);
    element_steps[i + 1] = 1;
  }
  CUtensorMap map{};
  TW_CHECK(encode(&map, type_of(dtype), Count + 1, const_cast<void*>(data), extents, stride_bytes,
                  box_extents, element_steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                  swizzle_of(box.columns * bytes_of(dtype)), promotion_of(box.l2_promotion_bytes),
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  return map;
}

}  // namespace

CUtensorMap make_tensor_map(const void* data, DataType dtype, int64_t rows, int64_t columns,
                            int64_t stride, const TensorBox& box) {
  return encode_map(data, dtype, columns, {{rows, stride, box.rows}}, box);
}

CUtensorMap make_stacked_map(const void* data, DataType dtype, int64_t rows, int64_t columns,
                             int64_t stride, const TensorBox& box) {
  const int64_t half = rows / 2;
  return encode_map(data, dtype, columns, {{2, half * stride, 2}, {half, stride, box.rows / 2}},
                    box);
}

}  // namespace tilewright
