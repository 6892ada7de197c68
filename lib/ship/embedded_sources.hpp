// The sources that a shipped folder may hold, which the program holds as text.
#pragma once

#include <span>

#include "gpu/compile/embedded_kernels.hpp"

namespace tilewright {

/// Files of lib/, by their paths there.
std::span<const EmbeddedFile> embedded_sources();

}  // namespace tilewright
