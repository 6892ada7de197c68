// The font that the program carries: Inter, by its authors under the SIL Open Font License 1.1.
#pragma once

#include <span>

namespace tilewright {

/// The bytes of an OpenType file, there as long as the program runs.
std::span<const unsigned char> font_file(bool bold);

}  // namespace tilewright
