// Warns about numbers in make_shape() and make_stride() that C++ knows only at run time.
#pragma once

#include <string_view>

#include "layout/algebra/derivation.hpp"

namespace tilewright {

struct RuntimeNumbers {
  bool shape = false;
  bool stride = false;
};

/// Warns where CuTe C++ computes another layout from such numbers than from static ones.
void warn_of_runtime_numbers(const RuntimeNumbers& found, std::string_view call, Derivation* why);

}  // namespace tilewright
