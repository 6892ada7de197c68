// The part of TVM-FFI 0.1 that the library uses (tvm/ffi/c_api.h, tvm/ffi/extra/c_env_api.h),
// declared here so that it needs no header and no library of TVM-FFI.
#pragma once

#include <cstddef>
#include <cstdint>

#include "serve/dlpack.hpp"

namespace tilewright {

/// TVMFFITypeIndex.
enum class FfiKind : int32_t {
  None = 0,
  Integer = 1,
  Bool = 2,
  Real = 3,
  Pointer = 4,
  DataType = 5,
  ArrayPointer = 7,
  Shape = 69,
  Array = 70,
};

/// TVMFFIAny.
struct FfiValue {
  FfiKind kind = FfiKind::None;
  uint32_t padding = 0;
  union {
    int64_t integer = 0;
    double real;
    void* pointer;
    ArrayType type;
  };
};
static_assert(sizeof(FfiValue) == 16);

/// TVMFFIObject, the beginning of every object. An Array follows it in an array, an FfiShape in a
/// shape.
struct FfiObject {
  uint64_t counts = 0;
  int32_t kind = 0;
  uint32_t padding = 0;
  void (*deleter)(void*, int) = nullptr;
};
static_assert(sizeof(FfiObject) == 24);

/// TVMFFIShapeCell and TVMFFIByteArray.
struct FfiShape {
  const int64_t* numbers = nullptr;
  size_t count = 0;
};
struct FfiBytes {
  const char* bytes = nullptr;
  size_t count = 0;
};

/// Functions of libtvm_ffi, which the process has loaded before it calls this library. A returned
/// number is 0, or another one after an error was raised.
struct FfiFunctions {
  void (*raise)(const char* kind, const char* message) = nullptr;
  void* (*stream)(int32_t device_type, int32_t device) = nullptr;
  void* (*allocator)() = nullptr;  // returns NULL if the framework has none
  int (*allocate)(Array* form, void** array) = nullptr;
  int (*release)(void* object) = nullptr;
  int (*text)(const FfiBytes* bytes, FfiValue* text) = nullptr;

  bool are_all_there() const;
};

/// The functions in this process; some are NULL if it has not loaded libtvm_ffi.
const FfiFunctions& ffi_functions();

}  // namespace tilewright
