// The script and the style of a page, which the program holds as text.
#pragma once

#include <span>

#include "gpu/compile/embedded_kernels.hpp"

namespace tilewright {

/// page.css and page.js of lib/page.
std::span<const EmbeddedFile> page_files();

}  // namespace tilewright
