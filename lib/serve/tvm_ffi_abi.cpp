#include "serve/tvm_ffi_abi.hpp"

#include <dlfcn.h>

namespace tilewright {
namespace {

template <class Function>
void find_function(Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

FfiFunctions find_functions() {
  FfiFunctions found;
  find_function(found.raise, "TVMFFIErrorSetRaisedFromCStr");
  find_function(found.stream, "TVMFFIEnvGetStream");
  find_function(found.allocator, "TVMFFIEnvGetDLPackManagedTensorAllocator");
  find_function(found.allocate, "TVMFFIEnvTensorAlloc");
  find_function(found.release, "TVMFFIObjectDecRef");
  find_function(found.text, "TVMFFIStringFromByteArray");
  return found;
}

}  // namespace

bool FfiFunctions::are_all_there() const {
  return raise != nullptr && stream != nullptr && allocator != nullptr && allocate != nullptr &&
         release != nullptr && text != nullptr;
}

const FfiFunctions& ffi_functions() {
  static const FfiFunctions found = find_functions();
  return found;
}

}  // namespace tilewright
