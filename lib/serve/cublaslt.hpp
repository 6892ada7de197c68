// The cuBLASLt of the process that a shipped library lives in. Nothing is linked with it.
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

/// What the process has loaded, of several the newest, else the newest that the loader finds. It
/// stays loaded.
FoundLibrary find_cublaslt();

}  // namespace tilewright
