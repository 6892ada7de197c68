// Finds the cuBLASLt of the process that uses a shipped library; the library does not link with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gpu/launch/library_product.hpp"

namespace tilewright {

/// Its functions and cublasLtGetVersion(), or why there are none.
struct FoundLibrary {
  LibraryFunctions functions = {};
  std::optional<int64_t> version = {};
  std::string why_not = {};
};

/// The newest one that the process has loaded, else the newest that the loader finds. It stays
/// loaded.
FoundLibrary find_cublaslt();

}  // namespace tilewright
