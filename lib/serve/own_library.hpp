// The library that this code was shipped in.
#pragma once

#include "serve/library.hpp"

namespace tilewright {

/// Made of its payload when first asked for, and never unmade: the driver may be gone before it.
/// Throws where the payload is damaged.
Library& own_library();

}  // namespace tilewright
