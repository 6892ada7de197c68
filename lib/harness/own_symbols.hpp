// Gives a shared library its own symbols, even if another build of it is loaded.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright {

/// Makes weak the symbols of a 64-bit ELF image that all libraries of a process share
/// (STB_GNU_UNIQUE). Returns their number, 0 for any other image.
int64_t unshare_symbols(std::string& image);

}  // namespace tilewright
