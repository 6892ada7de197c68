// Matrix instructions by their CUTLASS names: which thread holds which elements of an operand, and
// tiles of several instructions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "layout/algebra/layout.hpp"
#include "layout/algebra/tiling.hpp"

namespace tilewright {

/// Each layout maps (thread, value) to row + column * rows of an operand: A is MxK, B is NxK, C is
/// MxN. An operand in shared memory belongs as a whole to every thread.
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

/// The shape of an instruction and the widths of its operands' elements.
struct MmaOperation {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t bits_a = 0;
  int64_t bits_b = 0;
  bool warpgroup = false;
  bool a_in_shared = false;  // of a warpgroup
};

/// Throws a usage error that begins with `name` for an instruction whose layouts are not known.
MmaAtom mma_atom(const MmaOperation& operation, std::string_view name);

/// Parses "SM80_16x8x16_F32F16F16F32_TN", "SM90_64x128x16_F32F16F16_SS", "UniversalFMA", ...
/// Returns nothing for another text. Throws a usage error for an instruction with unknown layouts.
std::optional<MmaAtom> mma_atom_named(std::string_view text);

/// M, N and K of the tile that tiled_mma() covers with the same arguments. Throws as it does.
std::array<int64_t, 3> tiled_mma_shape(const MmaAtom& atom, const Layout& atoms,
                                       const std::vector<Tiler>& tile);

/// CuTe's TiledMMA: `atoms` maps (m, n, k) to the index of an instruction; `tile` has an extent or
/// a permutation for each of M, N and K, or "_". The result maps (thread, value) to row + column *
/// rows of the operand's tile. Throws a usage error for sizes that do not divide.
Layout tiled_mma(const MmaAtom& atom, const Layout& atoms, const std::vector<Tiler>& tile,
                 MmaOperand operand);

}  // namespace tilewright
