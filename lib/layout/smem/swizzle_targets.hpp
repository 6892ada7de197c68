// A swizzled tile in the words of other stacks.
#pragma once

#include <string>
#include <vector>

#include "layout/algebra/swizzle.hpp"
#include "layout/smem/tile_pattern.hpp"

namespace tilewright {

/// One stack's spelling, or why it has none.
struct SwizzleSpelling {
  std::string target;  // "cute-cpp", "cute-dsl", "triton", "iree", "tma"
  std::string text;
  std::string why_not;
  bool operator==(const SwizzleSpelling&) const = default;
};

/// `swizzle` works on element offsets of the row-major tile. Spellings: a CuTe C++ and a CuTe DSL
/// expression, Triton's swizzled_shared, IREE's xor_shuffle, and the swizzle mode of a TMA map.
std::vector<SwizzleSpelling> spell_swizzle(const SharedTile& tile, const Swizzle& swizzle);

}  // namespace tilewright
