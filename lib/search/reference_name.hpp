// The names of references.
#pragma once

#include <string_view>

namespace tilewright {

/// The end of the name of a reference that is the library's product and, behind it, an elementwise
/// kernel of ours: the library lacks the epilogue.
inline constexpr std::string_view kElementwiseEnding = " + elementwise";

inline bool has_elementwise_pass(std::string_view reference_name) {
  return reference_name.ends_with(kElementwiseEnding);
}

}  // namespace tilewright
