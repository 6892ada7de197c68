// The sizes of element types, for layouts that are shown in bytes.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilewright {

/// Bits of "f16", "bf16", "f32", "u8", "e4m3", ...: what matters of a type in memory. Throws a
/// usage error that names what is known.
int64_t element_bits(std::string_view type);

}  // namespace tilewright
