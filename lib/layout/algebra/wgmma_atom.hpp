// CUTLASS's shared-memory atoms for wgmma: 8 rows of 16, 32, 64 or 128 bytes.
#pragma once

#include <optional>
#include <string_view>

#include "layout/algebra/composed_layout.hpp"

namespace tilewright {

/// The fields of "Layout_K_SW128_Atom" or, with `of_bits`, "Layout_K_SW128_Atom_Bits".
struct WgmmaAtomName {
  bool k_major = true;
  int swizzle_bits = 0;  // 0, 1, 2, 3: INTER, SW32, SW64, SW128
  bool of_bits = false;
  bool operator==(const WgmmaAtomName&) const = default;
};

/// Returns nothing if the text is not such a name.
std::optional<WgmmaAtomName> wgmma_atom_named(std::string_view text);

/// The atom of the widest swizzle whose lines divide `extent` elements along K, or along M or N.
/// Throws a usage error where 16 bytes do not divide them.
WgmmaAtomName widest_atom(bool k_major, int64_t extent, int64_t element_bits);

/// Maps coordinates (M or N, K) to offsets in elements. Throws a usage error for elements larger
/// than the 16 bytes that the swizzle keeps together.
ComposedLayout wgmma_atom(const WgmmaAtomName& name, int64_t element_bits);

}  // namespace tilewright
