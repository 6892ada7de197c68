// Copy instructions as CUTLASS names them, and tiles of several.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "layout/algebra/layout.hpp"

namespace tilewright {

/// (thread, value) to an element of what one instruction moves. CuTe tiles by the registers' side:
/// the destination of ldmatrix, the source of stmatrix.
struct CopyAtom {
  Layout source;
  Layout destination;
  Layout registers;
  bool operator==(const CopyAtom&) const = default;
};

/// "SM75_U32x4_LDSM_N", "SM90_U16x8_STSM_T", or what one thread copies, such as "UniversalCopy" or
/// "SM80_CP_ASYNC_CACHEALWAYS". Nothing for another name. Throws a usage error for elements that
/// the instruction does not move.
std::optional<CopyAtom> copy_atom_named(std::string_view text, int64_t element_bits);

/// (thread, value) to elements of a tile, first mode fastest, of threads and of the values of each.
Layout thread_value_tile(const Layout& threads, const Layout& values);

/// One side of CuTe's TiledCopy: `tile` deals elements out to (thread, value), `side` is the
/// atom's. Throws a usage error where the tile is no multiple of an instruction.
Layout tiled_copy(const CopyAtom& atom, const Layout& side, const Layout& tile);

}  // namespace tilewright
