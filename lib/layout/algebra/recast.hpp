// Views the same bytes as elements of another size.
#pragma once

#include <cstdint>
#include <string_view>

#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/derivation.hpp"

namespace tilewright {

/// Elements become `factor` times larger. Throws a usage error that names a mode if neither its
/// stride nor the factor divides the other.
Layout upcast(const Layout& layout, int64_t factor, Derivation* why = nullptr);
/// Elements become `factor` times smaller. Throws a usage error if there is no mode of stride 1.
Layout downcast(const Layout& layout, int64_t factor);
/// From elements of `from_bits` to elements of `to_bits`; also recasts the swizzle and the offset.
ComposedLayout recast(const ComposedLayout& layout, int64_t from_bits, int64_t to_bits,
                      Derivation* why = nullptr);

/// The bits of an element type: "f16", "bf16", "f32", "u8", "e4m3", ..., or a type in programs,
/// "half_t", "float16"; only the size matters. Throws a usage error that lists the known types.
int64_t element_bits(std::string_view type);

}  // namespace tilewright
