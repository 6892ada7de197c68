// The functions of a shipped library for TVM-FFI and thereby Python, on arrays of any framework
// with DLPack. Errors become Python errors: TypeError, ValueError for other wrong arguments,
// RuntimeError if no kernel here takes the call or CUDA refuses.
//
// NAME_gemm, NAME_grouped_gemm and NAME_rank_k end with `workspace` and `stream`. Without a stream
// they run in the current stream of the caller's framework, as TVM-FFI reports it, and take D (if
// `out` is None) and workspace from that framework's allocator; they return D if they allocated it.
// Without a workspace, if none can be allocated, they launch nothing and return the number of bytes
// needed.

#include <array>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "serve/array_call.hpp"
#include "serve/array_launch.hpp"
#include "serve/matrix_view.hpp"
#include "serve/shipped_names.hpp"
#include "serve/tvm_ffi_abi.hpp"

namespace tilewright {
namespace {

// Thrown if libtvm_ffi has the error already.
struct FfiErrorSet {};

void require_done(int status) {
  if (status != 0) throw FfiErrorSet();
}

const char* python_error(const Error& error) {
  if (dynamic_cast<const TypeFault*>(&error) != nullptr) return "TypeError";
  return error.code() == ExitCode::Usage ? "ValueError" : "RuntimeError";
}

// Stores the result of `work`; raises an error if `work` throws.
template <class Work>
int handle_ffi(FfiValue* result, const Work& work) {
  const FfiFunctions& ffi = ffi_functions();
  if (!ffi.are_all_there()) return -1;
  try {
    *result = work(ffi);
    return 0;
  } catch (const FfiErrorSet&) {
    return -1;
  } catch (const Error& error) {
    ffi.raise(python_error(error), error.what());
  } catch (const std::exception& error) {
    ffi.raise("RuntimeError", error.what());
  } catch (...) {
    ffi.raise("RuntimeError", "an exception of no known type");
  }
  return -1;
}

// The arguments of a call, by their names in Python.
template <size_t count>
class FfiArguments {
 public:
  FfiArguments(const FfiValue* values, int32_t given, const std::array<const char*, count>& names)
      : values_(values), names_(names) {
    if (given == static_cast<int32_t>(count)) return;
    throw TypeFault(format("the call has {} arguments, and this function takes {}", given, count));
  }

  bool has(size_t i) const { return values_[i].kind != FfiKind::None; }

  // NULL for None.
  const Array* array(size_t i) const {
    const FfiValue& value = values_[i];
    switch (value.kind) {
      case FfiKind::None: return nullptr;
      case FfiKind::ArrayPointer: return static_cast<const Array*>(value.pointer);
      case FfiKind::Array: return part_of<Array>(value);
      default: throw TypeFault(format("{} is no array on a device", names_[i]));
    }
  }
  int64_t integer(size_t i) const {
    if (values_[i].kind == FfiKind::Integer || values_[i].kind == FfiKind::Bool) {
      return values_[i].integer;
    }
    throw TypeFault(format("{} is no integer", names_[i]));
  }
  int32_t small_integer(size_t i) const {
    const int64_t value = integer(i);
    if (value == static_cast<int32_t>(value)) return static_cast<int32_t>(value);
    throw usage_error(format("{} is {}", names_[i], value));
  }
  float real(size_t i) const {
    if (values_[i].kind == FfiKind::Real) return static_cast<float>(values_[i].real);
    return static_cast<float>(integer(i));
  }
  // NULL for None.
  const ArrayType* type(size_t i) const {
    if (!has(i)) return nullptr;
    if (values_[i].kind == FfiKind::DataType) return &values_[i].type;
    throw TypeFault(format("{} is no element type", names_[i]));
  }
  // The type of D: argument `i`, else the type of `out`; NULL if neither is given.
  const ArrayType* result_type(const Array* out, size_t i) const {
    return has(i) || out == nullptr ? type(i) : &out->type;
  }
  // Empty for None.
  std::optional<std::vector<int64_t>> numbers(size_t i) const {
    if (!has(i)) return std::nullopt;
    if (values_[i].kind != FfiKind::Shape) throw TypeFault(format("{} is no shape", names_[i]));
    const auto* const shape = part_of<FfiShape>(values_[i]);
    return std::vector<int64_t>(shape->numbers, shape->numbers + shape->count);
  }
  void* pointer(size_t i) const {
    if (values_[i].kind == FfiKind::Pointer) return values_[i].pointer;
    throw TypeFault(format("{} is no address", names_[i]));
  }

 private:
  template <class Part>
  static const Part* part_of(const FfiValue& value) {
    return reinterpret_cast<const Part*>(static_cast<const char*>(value.pointer) +
                                         sizeof(FfiObject));
  }

  const FfiValue* values_;
  std::array<const char*, count> names_;
};

// An array from the allocator of the caller's framework, released unless it becomes the result.
class FrameworkArray {
 public:
  FrameworkArray(const FfiFunctions& ffi, const ArrayDevice& device, ArrayType type,
                 const int64_t* shape, int32_t ndim)
      : ffi_(ffi) {
    Array form;
    form.device = device;
    form.type = type;
    form.ndim = ndim;
    form.shape = shape;
    require_done(ffi.allocate(&form, &object_));
  }
  ~FrameworkArray() {
    if (object_ != nullptr) ffi_.release(object_);
  }
  FrameworkArray(const FrameworkArray&) = delete;
  FrameworkArray& operator=(const FrameworkArray&) = delete;

  const Array& array() const {
    return *reinterpret_cast<const Array*>(static_cast<const char*>(object_) + sizeof(FfiObject));
  }
  FfiValue become_result() {
    FfiValue value;
    value.kind = FfiKind::Array;
    value.pointer = object_;
    object_ = nullptr;
    return value;
  }

 private:
  const FfiFunctions& ffi_;
  void* object_ = nullptr;
};

// Argument `first` is the workspace, the next one the stream.
template <size_t count>
FfiValue run_call(const FfiFunctions& ffi, ArrayCall& made, const FfiArguments<count>& arguments,
                  const Array* out, size_t first) {
  require_on_gpu(made);
  const bool has_stream = arguments.has(first + 1);
  made.call.stream =
      has_stream ? arguments.pointer(first + 1) : ffi.stream(made.device.type, made.device.index);
  // Only the framework's own current stream may use memory from its allocator.
  const bool may_allocate = !has_stream && ffi.allocator() != nullptr;
  std::optional<FrameworkArray> own_out;
  if (out == nullptr) {
    if (!may_allocate) throw usage_error("out is None, and no allocator of a framework is known");
    const int32_t ndim = made.ndim;
    own_out.emplace(ffi, made.device, made.out_type,
                    made.shape.data() + (made.shape.size() - static_cast<size_t>(ndim)), ndim);
    out = &own_out->array();
  }
  set_out(made, *out);
  int64_t bytes = workspace_of(made);
  void* workspace = nullptr;
  std::optional<FrameworkArray> own_workspace;
  const Array* const given = arguments.array(first);
  if (given != nullptr) {
    if (!(given->device == made.device)) throw usage_error("workspace is on another device");
    if (given->ndim != 1 || given->type.bits != 8 || stride_of(*given, 0) != 1) {
      throw TypeFault("workspace is not a one-dimensional array of bytes");
    }
    workspace = first_element(*given);
    bytes = element_count(*given);
  } else if (bytes > 0 && may_allocate) {
    own_workspace.emplace(ffi, made.device, ArrayType{kDlpackUnsigned, 8, 1}, &bytes, 1);
    workspace = first_element(own_workspace->array());
  } else if (bytes > 0) {
    FfiValue needed;
    needed.kind = FfiKind::Integer;
    needed.integer = bytes;
    return needed;
  }
  launch_arrays(made, workspace, bytes);
  return own_out ? own_out->become_result() : FfiValue();
}

FfiValue ffi_gemm(const FfiFunctions& ffi, const FfiValue* values, int32_t count) {
  const FfiArguments given(values, count,
                           std::array{"a", "b", "bias", "scale_a", "scale_b", "out", "out_dtype",
                                      "workspace", "stream"});
  const ProductArrays arrays{given.array(0), given.array(1), given.array(2),
                             given.array(3), given.array(4), nullptr};
  const Array* const out = given.array(5);
  ArrayCall made = product_call(arrays, given.result_type(out, 6));
  return run_call(ffi, made, given, out, 7);
}

// `comm` is the address of a shipped_comm.
FfiValue ffi_shared_gemm(const FfiFunctions& ffi, const FfiValue* values, int32_t count) {
  const FfiArguments given(values, count,
                           std::array{"a", "b", "bias", "parallel", "comm", "gpus", "out",
                                      "out_dtype", "workspace", "stream"});
  const ProductArrays arrays{given.array(0), given.array(1), given.array(2),
                             nullptr,        nullptr,        nullptr};
  const ArrayShare share{given.small_integer(3), static_cast<shipped_comm*>(given.pointer(4)),
                         given.small_integer(5)};
  const Array* const out = given.array(6);
  ArrayCall made = shared_call(arrays, share, given.result_type(out, 7));
  return run_call(ffi, made, given, out, 8);
}

FfiValue ffi_grouped_gemm(const FfiFunctions& ffi, const FfiValue* values, int32_t count) {
  const FfiArguments given(values, count,
                           std::array{"a", "b", "offs", "sizes", "bias", "scale_a", "scale_b",
                                      "out", "out_dtype", "workspace", "stream"});
  const ProductArrays arrays{given.array(0), given.array(1), given.array(4),
                             given.array(5), given.array(6), given.array(2)};
  const std::optional<std::vector<int64_t>> rows = given.numbers(3);
  const Array* const out = given.array(7);
  ArrayCall made = grouped_call(arrays, rows ? &*rows : nullptr, given.result_type(out, 8));
  return run_call(ffi, made, given, out, 9);
}

FfiValue ffi_rank_k(const FfiFunctions& ffi, const FfiValue* values, int32_t count) {
  const FfiArguments given(values, count,
                           std::array{"op", "uplo", "a", "b", "c", "alpha", "beta", "out",
                                      "out_dtype", "workspace", "stream"});
  const Array* const out = given.array(7);
  ArrayCall made = update_call(given.small_integer(0), given.small_integer(1),
                               {given.array(2), given.array(3), given.array(4)}, given.real(5),
                               given.real(6), given.result_type(out, 8));
  return run_call(ffi, made, given, out, 9);
}

FfiValue ffi_why(const FfiFunctions& ffi, const FfiValue* values, int32_t count) {
  const FfiArguments given(
      values, count,
      std::array{"op", "type", "out_type", "layout", "uplo", "m", "n", "k", "bias", "sizes"});
  shipped_call call = shipped_default_call();
  call.op = given.small_integer(0);
  call.type = given.small_integer(1);
  call.out_type = given.small_integer(2);
  call.layout = given.small_integer(3);
  call.uplo = given.small_integer(4);
  call.m = given.integer(5);
  call.n = given.integer(6);
  call.k = given.integer(7);
  // A dummy address of the best alignment, which nothing reads.
  alignas(256) static char place = 0;
  call.a = call.b = call.d = &place;
  if (given.integer(8) != 0) call.bias = &place;
  const std::optional<std::vector<int64_t>> rows = given.numbers(9);
  if (rows) {
    call.groups = static_cast<int64_t>(rows->size());
    call.group_rows = rows->data();
    call.offsets = &place;
  }
  std::array<char, 1024> text = {};
  throw_unless_good(shipped_why(&call, text.data(), text.size()));
  const FfiBytes bytes{text.data(), std::strlen(text.data())};
  FfiValue value;
  require_done(ffi.text(&bytes, &value));
  return value;
}

FfiValue ffi_prepare(const FfiValue* values, int32_t count) {
  const FfiArguments given(values, count, std::array{"device"});
  throw_unless_good(shipped_prepare(given.small_integer(0)));
  return {};
}

FfiValue ffi_set_policy(const FfiValue* values, int32_t count) {
  const FfiArguments given(values, count, std::array{"policy"});
  throw_unless_good(shipped_set_policy(given.small_integer(0)));
  return {};
}

FfiValue ffi_set_sm_budget(const FfiValue* values, int32_t count) {
  const FfiArguments given(values, count, std::array{"sms"});
  throw_unless_good(shipped_set_sm_budget(given.small_integer(0)));
  return {};
}

}  // namespace
}  // namespace tilewright

#define TILEWRIGHT_FFI(suffix) TILEWRIGHT_NAMED_AS(__tvm_ffi_, suffix)

extern "C" {

SHIPPED_FUNCTION int TILEWRIGHT_FFI(_gemm)(void*, const tilewright::FfiValue* values, int32_t count,
                                           tilewright::FfiValue* result) {
  return tilewright::handle_ffi(result, [&](const tilewright::FfiFunctions& ffi) {
    return tilewright::ffi_gemm(ffi, values, count);
  });
}

SHIPPED_FUNCTION int TILEWRIGHT_FFI(_shared_gemm)(void*, const tilewright::FfiValue* values,
                                                  int32_t count, tilewright::FfiValue* result) {
  return tilewright::handle_ffi(result, [&](const tilewright::FfiFunctions& ffi) {
    return tilewright::ffi_shared_gemm(ffi, values, count);
  });
}

SHIPPED_FUNCTION int TILEWRIGHT_FFI(_grouped_gemm)(void*, const tilewright::FfiValue* values,
                                                   int32_t count, tilewright::FfiValue* result) {
  return tilewright::handle_ffi(result, [&](const tilewright::FfiFunctions& ffi) {
    return tilewright::ffi_grouped_gemm(ffi, values, count);
  });
}

SHIPPED_FUNCTION int TILEWRIGHT_FFI(_rank_k)(void*, const tilewright::FfiValue* values,
                                             int32_t count, tilewright::FfiValue* result) {
  return tilewright::handle_ffi(result, [&](const tilewright::FfiFunctions& ffi) {
    return tilewright::ffi_rank_k(ffi, values, count);
  });
}

SHIPPED_FUNCTION int TILEWRIGHT_FFI(_why)(void*, const tilewright::FfiValue* values, int32_t count,
                                          tilewright::FfiValue* result) {
  return tilewright::handle_ffi(result, [&](const tilewright::FfiFunctions& ffi) {
    return tilewright::ffi_why(ffi, values, count);
  });
}

SHIPPED_FUNCTION int TILEWRIGHT_FFI(_prepare)(void*, const tilewright::FfiValue* values,
                                              int32_t count, tilewright::FfiValue* result) {
  return tilewright::handle_ffi(result, [&](const tilewright::FfiFunctions&) {
    return tilewright::ffi_prepare(values, count);
  });
}

SHIPPED_FUNCTION int TILEWRIGHT_FFI(_set_policy)(void*, const tilewright::FfiValue* values,
                                                 int32_t count, tilewright::FfiValue* result) {
  return tilewright::handle_ffi(result, [&](const tilewright::FfiFunctions&) {
    return tilewright::ffi_set_policy(values, count);
  });
}

SHIPPED_FUNCTION int TILEWRIGHT_FFI(_set_sm_budget)(void*, const tilewright::FfiValue* values,
                                                    int32_t count, tilewright::FfiValue* result) {
  return tilewright::handle_ffi(result, [&](const tilewright::FfiFunctions&) {
    return tilewright::ffi_set_sm_budget(values, count);
  });
}

}  // extern "C"
