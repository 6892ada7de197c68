// Units in which times are told.
#pragma once

namespace tilewright {

/// Of a second.
inline constexpr double kMicroseconds = 1e6;

}  // namespace tilewright
