// A small layout as a grid of offsets for the terminal.
#pragma once

#include <string>

#include "layout/algebra/composed_layout.hpp"

namespace tilewright {

/// Mode 0 runs down and mode 1 across, further modes are slices below each other. At most 64 rows,
/// 64 columns and 16 slices are shown, and what is left out is said.
std::string grid_text(const ComposedLayout& layout);

}  // namespace tilewright
