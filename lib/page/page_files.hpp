// The script and the style sheet of a page, linked into the program.
#pragma once

#include <span>

#include "gpu/compile/embedded_kernels.hpp"

namespace tilewright {

/// page.css and page.js of lib/page.
std::span<const EmbeddedFile> page_files();

}  // namespace tilewright
