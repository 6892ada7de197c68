// The shared-memory layouts that a wgmma descriptor can name.
//
//     K-major    8 rows of 16, 32, 64 or 128 bytes of K, one after the other, swizzled; such blocks
//                repeat along M (or N) and along K
//     MN-major   the same with M (or N) and K exchanged
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "layout/algebra/composed_layout.hpp"

namespace tilewright {

/// A canonical layout. Strides are distances of adjacent blocks, in bytes; 0 if there is only one
/// block.
struct WgmmaLayout {
  std::string name;             // "K_SW128", "MN_INTER", ...
  int64_t mn_stride_bytes = 0;  // along M or N
  int64_t k_stride_bytes = 0;   // along K
  bool operator==(const WgmmaLayout&) const = default;
};

/// The canonical layout, or the first reason why it is none.
struct WgmmaMatch {
  std::optional<WgmmaLayout> layout;
  std::string why_not;
  bool operator==(const WgmmaMatch&) const = default;
};

/// Matches a layout with modes (M or N, K), or (M or N, K, stage) by its first stage, and offsets
/// in elements of `element_bytes`; every stage must begin at a whole block. Throws a usage error
/// for more than 2^20 elements of a stage or another number of modes.
WgmmaMatch match_wgmma(const ComposedLayout& layout, int element_bytes);

/// One operand of a matrix instruction as a layout. `threads` is a text for parse_layout() that
/// maps (thread, value) to row + col * rows of the operand; for "src" and "dst" of ldmatrix, to
/// bits of the data that a warp moves.
struct Atom {
  std::string_view instruction;  // "mma.m16n8k16", "wgmma.m64n64k16", "ldmatrix.x4", ...
  std::string_view operand;      // "A", "B", "C", "src" or "dst"
  int rows = 0;                  // of the operand, 0 for ldmatrix and stmatrix
  int cols = 0;
  std::string_view threads;
};

/// 16-bit mma.m16n8k8 and m16n8k16, wgmma's registers, ldmatrix and stmatrix.
std::span<const Atom> instruction_atoms();

/// Throws a usage error that lists the known atoms.
const Atom& find_atom(std::string_view instruction, std::string_view operand);

}  // namespace tilewright
