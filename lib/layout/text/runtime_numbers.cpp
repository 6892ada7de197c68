#include "layout/text/runtime_numbers.hpp"

namespace tilewright {

void warn_of_runtime_numbers(const RuntimeNumbers& found, std::string_view call, Derivation* why) {
  if (why == nullptr) return;
  if (found.shape && call == "make_fragment_like") {
    why->warn("runtime-order",
              "all extents are treated as static: CuTe C++ makes the compact layout of a shape "
              "that it knows only at run time, make_fragment_like(SHAPE)");
  } else if (found.stride) {
    why->warn("runtime-order",
              "all strides are treated as static: CuTe C++ ignores strides that it knows only at "
              "run time and treats them as the largest, from left to right");
  }
}

}  // namespace tilewright
