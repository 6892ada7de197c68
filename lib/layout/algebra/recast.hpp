// The same bytes as elements of another size.
#pragma once

#include <cstdint>
#include <string_view>

#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/derivation.hpp"

namespace tilewright {

/// Elements `factor` times larger. Throws a usage error that names the mode whose stride and the
/// factor do not divide.
Layout upcast(const Layout& layout, int64_t factor, Derivation* why = nullptr);
/// Elements `factor` times smaller. Throws a usage error without a mode of stride 1.
Layout downcast(const Layout& layout, int64_t factor);
/// From elements of `from_bits` to elements of `to_bits`, the swizzle and offset alike.
ComposedLayout recast(const ComposedLayout& layout, int64_t from_bits, int64_t to_bits,
                      Derivation* why = nullptr);

/// The sizes of element types, for layouts that are shown in bytes. Bits of "f16", "bf16", "f32",
/// "u8", "e4m3", ... and of names in programs, "half_t", "float16": what matters in memory. Throws
/// a usage error that names what is known.
int64_t element_bits(std::string_view type);

}  // namespace tilewright
