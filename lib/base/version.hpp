// The program's version, for artefacts and --version.
#pragma once

namespace tilewright {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace tilewright
