// A shared library whose symbols are its own, though another build of it is loaded beside it.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright {

/// Turns the symbols of a 64-bit ELF image that all libraries of a process share, STB_GNU_UNIQUE,
/// into weak ones; returns how many there were, 0 for anything else than such an image.
int64_t unshare_symbols(std::string& image);

}  // namespace tilewright
