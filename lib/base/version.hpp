// The program's version, as artefacts and --version state it.
#pragma once

namespace tilewright {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace tilewright
