// Matrix instructions as CUTLASS names them: which thread holds which elements of an operand, and
// tiles of several instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "layout/algebra/layout.hpp"
#include "layout/algebra/tiling.hpp"

namespace tilewright {

/// (thread, value) to row + column * rows of an operand: A is MxK, B is NxK, C is MxN. Operands in
/// shared memory are held whole by every thread.
struct MmaAtom {
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
  Layout a;
  Layout b;
  Layout c;
  bool operator==(const MmaAtom&) const = default;
};

enum class MmaOperand { A, B, C };

/// "SM80_16x8x16_F32F16F16F32_TN", "SM90_64x128x16_F32F16F16_SS", "UniversalFMA", ... Nothing where
/// the text is no such name. Throws a usage error for an instruction whose layouts are not known.
std::optional<MmaAtom> mma_atom_named(std::string_view text);

/// CuTe's TiledMMA: `atoms` maps (m, n, k) to the instruction's number among the threads, `tile`
/// has an extent or a permutation for each of M, N and K, "_" where left out. (thread, value) to
/// row + column * rows of the operand's tile. Throws a usage error where sizes do not divide.
Layout tiled_mma(const MmaAtom& atom, const Layout& atoms, const std::vector<Tiler>& tile,
                 MmaOperand operand);

}  // namespace tilewright
