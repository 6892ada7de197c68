// Copy instructions by their CUTLASS names, and tiled copies of several of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "layout/algebra/layout.hpp"

namespace tilewright {

/// Each layout maps (thread, value) to an element of the data that one instruction moves. CuTe
/// tiles by the side of the registers: the destination of ldmatrix, the source of stmatrix.
struct CopyAtom {
  Layout source;
  Layout destination;
  Layout registers;
  bool operator==(const CopyAtom&) const = default;
};

/// Parses "SM75_U32x4_LDSM_N", "SM90_U16x8_STSM_T", or a copy by one thread, for example
/// "UniversalCopy" or "SM80_CP_ASYNC_CACHEALWAYS", of `copied_bits`, at least one element; of one
/// element if `element_bits` is 0, unknown. Returns nothing for another name. Throws a usage error
/// for an element size that the instruction does not support.
std::optional<CopyAtom> copy_atom_named(std::string_view text, int64_t element_bits,
                                        int64_t copied_bits = 0);

/// Maps (thread, value) to the elements of a tile, first mode fastest, from the layouts of the
/// threads and of each thread's values.
Layout thread_value_tile(const Layout& threads, const Layout& values);

/// One side of CuTe's TiledCopy: `tile` maps (thread, value) to the tile's elements, `side` is the
/// same side of the atom. Throws a usage error if the tile is not a multiple of an instruction.
Layout tiled_copy(const CopyAtom& atom, const Layout& side, const Layout& tile);

}  // namespace tilewright
