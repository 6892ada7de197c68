// The part of XLA's foreign function interface 0.x that the library uses (xla/ffi/api/c_api.h),
// declared here so that a build needs no XLA header. Every struct of a call begins with its size
// and a list of extensions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewright {

/// XLA_FFI_Error; NULL means success.
struct XlaError;
struct XlaContext;

/// XLA_FFI_Extension_Base. A call with an extension of kXlaMetadata is a query about the handler.
struct XlaExtension {
  size_t size;
  int32_t kind;
  XlaExtension* next;
};
inline constexpr int32_t kXlaMetadata = 1;

struct XlaVersion {
  size_t size;
  XlaExtension* extension;
  int32_t major;
  int32_t minor;
};

/// The first fields of XLA_FFI_Metadata, which every version has.
struct XlaMetadata {
  size_t size;
  XlaVersion version;
  uint32_t traits;
};
struct XlaMetadataExtension {
  XlaExtension extension;
  XlaMetadata* metadata;
};

/// XLA_FFI_DataType.
enum class XlaType : int32_t {
  Int32 = 4,
  Int64 = 5,
  Float16 = 10,
  Float32 = 11,
  Bfloat16 = 16,
  E5m2 = 19,
  E4m3 = 20,
};

struct XlaBuffer {
  size_t size;
  XlaExtension* extension;
  XlaType type;
  void* data;
  int64_t rank;
  const int64_t* dims;
};

/// XLA_FFI_Args and XLA_FFI_Rets.
struct XlaBuffers {
  size_t size;
  XlaExtension* extension;
  int64_t count;
  const int32_t* kinds;
  const XlaBuffer* const* buffers;
};

struct XlaText {
  const char* characters;
  size_t count;
};
/// XLA_FFI_AttrType.
inline constexpr int32_t kXlaNumbers = 1;
inline constexpr int32_t kXlaNumber = 3;
struct XlaNumber {
  XlaType type;
  const void* value;
};
struct XlaNumbers {
  XlaType type;
  size_t count;
  const void* values;
};
struct XlaAttributes {
  size_t size;
  XlaExtension* extension;
  int64_t count;
  const int32_t* kinds;
  const XlaText* const* names;
  const void* const* values;
};

struct XlaApi;

/// The first fields of XLA_FFI_CallFrame, which every version has.
struct XlaCall {
  size_t size;
  XlaExtension* extension;
  const XlaApi* api;
  XlaContext* context;
  int32_t stage;
  XlaBuffers arguments;
  XlaBuffers results;
  XlaAttributes attributes;
};

struct XlaErrorRequest {
  size_t size;
  XlaExtension* extension;
  const char* message;
  int32_t code;
};
inline constexpr int32_t kXlaInvalidArgument = 3;
inline constexpr int32_t kXlaUnimplemented = 12;
inline constexpr int32_t kXlaInternal = 13;

struct XlaStreamRequest {
  size_t size;
  XlaExtension* extension;
  XlaContext* context;
  void* stream;  // out
};
struct XlaMemoryRequest {
  size_t size;
  XlaExtension* extension;
  XlaContext* context;
  size_t bytes;
  size_t alignment;
  void* data;  // out
};
/// The largest alignment that XLA accepts.
inline constexpr size_t kXlaAlignment = 16;
struct XlaRelease {
  size_t size;
  XlaExtension* extension;
  XlaContext* context;
  size_t bytes;
  void* data;
};
struct XlaDeviceRequest {
  size_t size;
  XlaExtension* extension;
  XlaContext* context;
  int32_t device;  // out
};

/// XLA_FFI_Api.
struct XlaApi {
  using Unused = void (*)();

  size_t size;
  XlaExtension* extension;
  XlaVersion version;
  const void* internal;
  XlaError* (*make_error)(XlaErrorRequest*);
  Unused before_stream[3];
  XlaError* (*stream)(XlaStreamRequest*);
  Unused before_allocate[4];
  XlaError* (*allocate)(XlaMemoryRequest*);
  XlaError* (*release)(XlaRelease*);
  Unused before_device[6];
  XlaError* (*device)(XlaDeviceRequest*);  // since version 0.2
};

}  // namespace tilewright
