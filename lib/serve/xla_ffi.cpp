// The functions of a shipped library that XLA calls, as JAX does by jax.ffi: NAME_xla_gemm,
// NAME_xla_grouped_gemm and NAME_xla_rank_k. They run in XLA's stream and take workspace from its
// allocator; they must not be captured into command buffers, which outlive that workspace.

#include <array>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "serve/array_call.hpp"
#include "serve/array_launch.hpp"
#include "serve/library.hpp"
#include "serve/matrix_view.hpp"
#include "serve/shipped_names.hpp"
#include "serve/xla_ffi_abi.hpp"

namespace tilewright {
namespace {

// Thrown with the error that XLA made.
struct XlaFault {
  XlaError* error;
};

void require_none(XlaError* error) {
  if (error != nullptr) throw XlaFault{error};
}

XlaError* xla_error(const XlaApi& api, int32_t code, const char* message) {
  XlaErrorRequest request{sizeof(request), nullptr, message, code};
  return api.make_error(&request);
}

int32_t xla_code(const Error& error) {
  switch (error.code()) {
    case ExitCode::Usage: return kXlaInvalidArgument;
    case ExitCode::No: return kXlaUnimplemented;
    default: return kXlaInternal;
  }
}

ArrayType array_type(XlaType type) {
  switch (type) {
    case XlaType::Int32: return {kDlpackInt, 32, 1};
    case XlaType::Int64: return {kDlpackInt, 64, 1};
    case XlaType::Float16: return {kDlpackFloat, 16, 1};
    case XlaType::Float32: return {kDlpackFloat, 32, 1};
    case XlaType::Bfloat16: return {kDlpackBfloat, 16, 1};
    case XlaType::E5m2: return {kDlpackE5m2, 8, 1};
    case XlaType::E4m3: return {kDlpackE4m3, 8, 1};
  }
  throw TypeFault(format("an array has XLA's type {}, which this library does not support",
                         static_cast<int32_t>(type)));
}

// The arrays of a call, in order, and its attributes.
class XlaArguments {
 public:
  XlaArguments(const XlaCall& call, const ArrayDevice& device) : call_(call) {
    arrays_.reserve(static_cast<size_t>(call.arguments.count));
    for (int64_t i = 0; i < call.arguments.count; ++i) {
      arrays_.push_back(array_of(*call.arguments.buffers[i], device));
    }
    if (call.results.count != 1) throw usage_error("a call must have one result");
    out_ = array_of(*call.results.buffers[0], device);
  }

  // The next argument; `lines_are_columns`: its columns are contiguous.
  const Array* next(bool lines_are_columns = false) {
    if (next_ >= arrays_.size()) throw usage_error("an argument is missing");
    Array& array = arrays_[next_++];
    if (lines_are_columns) turn_lines(array);
    return &array;
  }
  const Array* next_if(bool is_given) { return is_given ? next() : nullptr; }
  const Array& out() const { return out_; }

  int32_t integer(std::string_view name) const { return number<int32_t>(name, XlaType::Int32); }
  float real(std::string_view name) const { return number<float>(name, XlaType::Float32); }
  std::vector<int64_t> integers(std::string_view name) const {
    const auto* const numbers = attribute<XlaNumbers>(name, kXlaNumbers);
    if (numbers->type != XlaType::Int64) throw TypeFault(format("{} are not int64", name));
    const auto* const begin = static_cast<const int64_t*>(numbers->values);
    return {begin, begin + numbers->count};
  }

 private:
  static Array array_of(const XlaBuffer& buffer, const ArrayDevice& device) {
    Array array;
    array.data = buffer.data;
    array.device = device;
    array.ndim = static_cast<int32_t>(buffer.rank);
    array.type = array_type(buffer.type);
    array.shape = buffer.dims;
    return array;
  }
  void turn_lines(Array& array) {
    const int32_t ndim = array.ndim;
    if (ndim < 2) return;
    std::vector<int64_t>& strides = strides_.emplace_back();
    for (int i = 0; i < ndim; ++i) strides.push_back(stride_of(array, i));
    strides[static_cast<size_t>(ndim - 2)] = 1;
    strides[static_cast<size_t>(ndim - 1)] = array.shape[ndim - 2];
    array.strides = strides.data();
  }
  template <class Value>
  const Value* attribute(std::string_view name, int32_t kind) const {
    const XlaAttributes& all = call_.attributes;
    for (int64_t i = 0; i < all.count; ++i) {
      const std::string_view own(all.names[i]->characters, all.names[i]->count);
      if (own == name && all.kinds[i] == kind) return static_cast<const Value*>(all.values[i]);
    }
    throw usage_error(format("attribute {} is missing", name));
  }
  template <class Value>
  Value number(std::string_view name, XlaType type) const {
    const auto* const scalar = attribute<XlaNumber>(name, kXlaNumber);
    if (scalar->type != type) throw TypeFault(format("attribute {} has the wrong type", name));
    Value value;
    std::memcpy(&value, scalar->value, sizeof(value));
    return value;
  }

  const XlaCall& call_;
  std::vector<Array> arrays_;
  std::vector<std::vector<int64_t>> strides_;
  Array out_;
  size_t next_ = 0;
};

// Memory from XLA's allocator, released after the launch; XLA's stream reuses it only after that.
class XlaMemory {
 public:
  XlaMemory(const XlaCall& call, int64_t bytes) : call_(call) {
    if (bytes == 0) return;
    bytes_ = static_cast<size_t>(bytes + kWorkspaceAlignment);
    XlaMemoryRequest request{sizeof(request), nullptr,       call.context,
                             bytes_,          kXlaAlignment, nullptr};
    require_none(call.api->allocate(&request));
    data_ = request.data;
  }
  ~XlaMemory() {
    if (data_ == nullptr) return;
    XlaRelease request{sizeof(request), nullptr, call_.context, bytes_, data_};
    call_.api->release(&request);
  }
  XlaMemory(const XlaMemory&) = delete;
  XlaMemory& operator=(const XlaMemory&) = delete;

  // At a multiple of kWorkspaceAlignment.
  void* begin() const {
    void* begin = data_;
    size_t space = bytes_;
    return begin == nullptr ? nullptr : std::align(kWorkspaceAlignment, 1, begin, space);
  }

 private:
  const XlaCall& call_;
  size_t bytes_ = 0;
  void* data_ = nullptr;
};

ArrayDevice device_of(const XlaCall& call) {
  if (call.api->size < sizeof(XlaApi)) {
    throw Error(ExitCode::No, "this JAX is too old: its XLA does not give the device of a call");
  }
  XlaDeviceRequest request{sizeof(request), nullptr, call.context, 0};
  require_none(call.api->device(&request));
  return {kDlpackCuda, request.device};
}

// Bits of attribute `given`: which arrays a call has, and their layouts.
constexpr int32_t kGivenBias = 1;
constexpr int32_t kGivenScaleA = 2;
constexpr int32_t kGivenScaleB = 4;
constexpr int32_t kGivenB = 8;
constexpr int32_t kGivenC = 16;
constexpr int32_t kColumnsA = 32;
constexpr int32_t kColumnsB = 64;

ArrayCall xla_gemm(XlaArguments& arguments) {
  const int32_t given = arguments.integer("given");
  ProductArrays arrays;
  arrays.a = arguments.next((given & kColumnsA) != 0);
  arrays.b = arguments.next((given & kColumnsB) != 0);
  arrays.bias = arguments.next_if((given & kGivenBias) != 0);
  arrays.scale_a = arguments.next_if((given & kGivenScaleA) != 0);
  arrays.scale_b = arguments.next_if((given & kGivenScaleB) != 0);
  return product_call(arrays, &arguments.out().type);
}

ArrayCall xla_rank_k(XlaArguments& arguments) {
  const int32_t given = arguments.integer("given");
  UpdateArrays arrays;
  arrays.a = arguments.next();
  arrays.b = arguments.next_if((given & kGivenB) != 0);
  arrays.c = arguments.next_if((given & kGivenC) != 0);
  return update_call(arguments.integer("op"), arguments.integer("uplo"), arrays,
                     arguments.real("alpha"), arguments.real("beta"), &arguments.out().type);
}

// XLA queries a handler before it calls it. The handler reports no trait, since it must not be
// captured.
void report_version(const XlaCall& call) {
  XlaMetadata& metadata = *reinterpret_cast<XlaMetadataExtension*>(call.extension)->metadata;
  metadata.version.major = 0;
  metadata.version.minor = call.api != nullptr ? call.api->version.minor : 0;
  metadata.traits = 0;
}

// `make` builds the ArrayCall from the arguments.
template <class Make>
XlaError* handle_xla(const XlaCall& call, const Make& make) {
  if (call.extension != nullptr && call.extension->kind == kXlaMetadata) {
    report_version(call);
    return nullptr;
  }
  const XlaApi& api = *call.api;
  try {
    XlaArguments arguments(call, device_of(call));
    make(arguments, [&](ArrayCall& made) {
      set_out(made, arguments.out());
      XlaStreamRequest request{sizeof(request), nullptr, call.context, nullptr};
      require_none(api.stream(&request));
      made.call.stream = request.stream;
      const int64_t bytes = workspace_of(made);
      const XlaMemory workspace(call, bytes);
      launch_arrays(made, workspace.begin(), bytes);
    });
    return nullptr;
  } catch (const XlaFault& fault) {
    return fault.error;
  } catch (const Error& error) {
    return xla_error(api, xla_code(error), error.what());
  } catch (const std::exception& error) {
    return xla_error(api, kXlaInternal, error.what());
  } catch (...) {
    return xla_error(api, kXlaInternal, "an exception of no known type");
  }
}

}  // namespace
}  // namespace tilewright

extern "C" {

SHIPPED_FUNCTION tilewright::XlaError* TILEWRIGHT_NAMED(_xla_gemm)(tilewright::XlaCall* call) {
  return tilewright::handle_xla(*call, [](tilewright::XlaArguments& arguments, const auto& run) {
    tilewright::ArrayCall made = tilewright::xla_gemm(arguments);
    run(made);
  });
}

SHIPPED_FUNCTION tilewright::XlaError* TILEWRIGHT_NAMED(_xla_grouped_gemm)(
    tilewright::XlaCall* call) {
  return tilewright::handle_xla(*call, [](tilewright::XlaArguments& arguments, const auto& run) {
    tilewright::ProductArrays arrays;
    const int32_t given = arguments.integer("given");
    arrays.a = arguments.next((given & tilewright::kColumnsA) != 0);
    arrays.b = arguments.next((given & tilewright::kColumnsB) != 0);
    const std::vector<int64_t> rows = arguments.integers("sizes");
    // No sizes means that only the device has them.
    if (rows.empty()) arrays.ends = arguments.next();
    arrays.bias = arguments.next_if((given & tilewright::kGivenBias) != 0);
    tilewright::ArrayCall made =
        tilewright::grouped_call(arrays, rows.empty() ? nullptr : &rows, &arguments.out().type);
    run(made);
  });
}

SHIPPED_FUNCTION tilewright::XlaError* TILEWRIGHT_NAMED(_xla_rank_k)(tilewright::XlaCall* call) {
  return tilewright::handle_xla(*call, [](tilewright::XlaArguments& arguments, const auto& run) {
    tilewright::ArrayCall made = tilewright::xla_rank_k(arguments);
    run(made);
  });
}

}  // extern "C"
