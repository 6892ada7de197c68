// How constants are spelt in the programs that the host writes.
#pragma once

#include "tile_params.cuh"

namespace tilewright {

/// The enumerator's name.
constexpr const char* element_name(tw::ElementType type) {
  switch (type) {
    case tw::ElementType::BF16: return "BF16";
    case tw::ElementType::F16: return "F16";
    case tw::ElementType::F32: return "F32";
  }
  return "";
}

constexpr const char* bool_name(bool value) {
  return value ? "true" : "false";
}

}  // namespace tilewright
