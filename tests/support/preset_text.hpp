// The text of a device preset's file in presets/.
#pragma once

#include <string>

#include "base/files.hpp"
#include "store/preset_path.hpp"

namespace tilewright::testing {

inline std::string preset_text(const std::string& name) {
  return read_file(presets_folder() / "devices" / (name + ".yaml"));
}

}  // namespace tilewright::testing
