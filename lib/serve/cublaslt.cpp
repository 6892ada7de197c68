#include "serve/cublaslt.hpp"

#include <dlfcn.h>

#include "base/text.hpp"

namespace tilewright {
namespace {

// Newest first; both have the same functions for products.
constexpr const char* kNames[] = {"libcublasLt.so.13", "libcublasLt.so.12"};

void* open_library() {
  for (const int mode : {RTLD_NOW | RTLD_NOLOAD, RTLD_NOW | RTLD_LOCAL}) {
    for (const char* const name : kNames) {
      if (void* const library = dlopen(name, mode)) return library;
    }
  }
  return nullptr;
}

}  // namespace

FoundLibrary find_cublaslt() {
  FoundLibrary found;
  void* const library = open_library();
  if (library == nullptr) {
    found.why_not = "the process has not loaded it, and the loader does not find it";
    return found;
  }
  visit_functions(
      [&]<class Function>(const char* name, Function& function) {
        function = reinterpret_cast<Function>(dlsym(library, name));
        if (function == nullptr) found.why_not = format("the loaded one lacks {}", name);
      },
      found.functions);
  if (found.why_not.empty()) {
    found.version = static_cast<int64_t>(found.functions.get_version());
  }
  return found;
}

}  // namespace tilewright
