// Arrays as DLPack 1.x lays them out in memory, declared here so that a build needs no DLPack
// header.
#pragma once

#include <cstdint>

namespace tilewright {

/// DLDeviceType.
inline constexpr int32_t kDlpackCuda = 2;
inline constexpr int32_t kDlpackCudaManaged = 13;

/// DLDataTypeCode.
inline constexpr uint8_t kDlpackInt = 0;
inline constexpr uint8_t kDlpackUnsigned = 1;
inline constexpr uint8_t kDlpackFloat = 2;
inline constexpr uint8_t kDlpackBfloat = 4;
inline constexpr uint8_t kDlpackE4m3 = 10;
inline constexpr uint8_t kDlpackE5m2 = 12;

/// DLDevice.
struct ArrayDevice {
  int32_t type = 0;
  int32_t index = 0;
  bool operator==(const ArrayDevice&) const = default;
};

/// DLDataType.
struct ArrayType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
  bool operator==(const ArrayType&) const = default;
};

/// DLTensor.
struct Array {
  void* data = nullptr;
  ArrayDevice device;
  int32_t ndim = 0;
  ArrayType type = {};
  const int64_t* shape = nullptr;
  const int64_t* strides = nullptr;  // in elements; NULL: row-major without gaps
  uint64_t byte_offset = 0;          // from `data` to the first element
};
static_assert(sizeof(Array) == 48);

}  // namespace tilewright
