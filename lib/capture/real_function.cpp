#include "capture/real_function.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace tilewright {
namespace {

// The library with an address.
const link_map* library_with(const void* address) {
  Dl_info info = {};
  void* library = nullptr;
  if (dladdr1(address, &info, &library, RTLD_DL_LINKMAP) == 0) return nullptr;
  return static_cast<const link_map*>(library);
}

bool is_of_shim(const void* address) {
  static const char here = 0;
  return library_with(address) == library_with(&here);
}

// The function `name` of the library with this address, or of those that it depends on. Null for
// the program itself, which sees all libraries, and for the shim: where cuBLAS jumps from one of
// its functions to another, the return address lies here.
void* function_beside(const char* name, const void* address) {
  const link_map* const library = library_with(address);
  const bool is_program = library == nullptr || library->l_name == nullptr || *library->l_name == 0;
  if (is_program || is_of_shim(address)) return nullptr;
  // Only a handle of dlopen() has a list of libraries to search.
  void* const handle = dlopen(library->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  void* const function = dlsym(handle, name);
  dlclose(handle);
  return function;
}

// Which library a search among all loaded ones finds.
struct LibrarySearch {
  const char* name;
  void* function;
};

// Libraries that were opened with RTLD_LOCAL are in no list that dlsym() searches by itself.
int look_into(dl_phdr_info* library, size_t /*bytes*/, void* data) {
  auto& search = *static_cast<LibrarySearch*>(data);
  if (library->dlpi_name == nullptr || std::strstr(library->dlpi_name, "libcublas") == nullptr) {
    return 0;
  }
  void* const handle = dlopen(library->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return 0;
  search.function = dlsym(handle, search.name);
  dlclose(handle);
  return search.function != nullptr ? 1 : 0;
}

// Keeps the library of a function loaded, because its address is remembered.
void pin(const void* function) {
  const link_map* const library = library_with(function);
  if (library == nullptr || library->l_name == nullptr || *library->l_name == 0) return;
  dlopen(library->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

// As the loader would: what the caller depends on, then what every library sees, then any cuBLAS.
void* find_function(const char* name, const void* caller) {
  void* found = function_beside(name, caller);
  if (found == nullptr || is_of_shim(found)) found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    LibrarySearch search = {name, nullptr};
    dl_iterate_phdr(look_into, &search);
    found = search.function;
  }
  if (found == nullptr || is_of_shim(found)) return nullptr;
  pin(found);
  return found;
}

}  // namespace

void* RealFunction::at(const void* caller) {
  const auto first = static_cast<unsigned>(reinterpret_cast<uintptr_t>(caller) >> 2);
  for (unsigned probe = 0; probe < kMaxSites; ++probe) {
    Site& site = sites_[(first + probe) % kMaxSites];
    const void* known = site.caller.load(std::memory_order_acquire);
    if (known == nullptr) {
      void* const function = find_function(name_, caller);
      if (function == nullptr) return nullptr;
      if (site.caller.compare_exchange_strong(known, caller)) {
        site.function.store(function, std::memory_order_release);
        return function;
      }
    }
    if (known != caller) continue;
    void* const function = site.function.load(std::memory_order_acquire);
    return function != nullptr ? function : find_function(name_, caller);
  }
  return find_function(name_, caller);
}

}  // namespace tilewright
