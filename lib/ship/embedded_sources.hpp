// The sources that a shipped folder may contain, which the program contains as text.
#pragma once

#include <span>

#include "gpu/compile/embedded_kernels.hpp"

namespace tilewright {

/// Files of lib/, by their paths in it.
std::span<const EmbeddedFile> embedded_sources();

}  // namespace tilewright
