// The library that this code was shipped in.
#pragma once

#include "serve/library.hpp"

namespace tilewright {

/// Created from its payload at the first call and never destroyed, since the driver may be unloaded
/// before it. Throws if the payload is damaged.
Library& embedded_library();

}  // namespace tilewright
