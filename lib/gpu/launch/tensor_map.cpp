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

}  // namespace

CUtensorMap make_tensor_map(const void* data, DataType dtype, int64_t rows, int64_t columns,
                            int64_t stride, const TensorBox& box) {
  static const PFN_cuTensorMapEncodeTiled_v12000 encode = encode_function();
  const cuuint64_t extents[2] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
  const cuuint64_t row_bytes[1] = {static_cast<cuuint64_t>(stride * bytes_of(dtype))};
  const cuuint32_t box_extents[2] = {static_cast<cuuint32_t>(box.columns),
                                     static_cast<cuuint32_t>(box.rows)};
  const cuuint32_t element_steps[2] = {1, 1};
  CUtensorMap map{};
  TW_CHECK(encode(&map, type_of(dtype), 2, const_cast<void*>(data), extents, row_bytes, box_extents,
                  element_steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                  swizzle_of(box.columns * bytes_of(dtype)), promotion_of(box.l2_promotion_bytes),
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  return map;
}

}  // namespace tilewright
