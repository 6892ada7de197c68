// What the threads of matrix instructions hold, as layouts.
#pragma once

#include <span>
#include <string_view>

namespace tilewright {

/// One operand of an instruction. `threads` maps (thread, value) to row + col * rows of the
/// operand, a text for parse_layout(); of "src" and "dst" of ldmatrix, to bits of what a warp
/// moves.
struct Atom {
  std::string_view instruction;  // "mma.m16n8k16", "wgmma.m64n64k16", "ldmatrix.x4", ...
  std::string_view operand;      // "A", "B", "C", "src" or "dst"
  int rows = 0;                  // of the operand, 0 for ldmatrix and stmatrix
  int cols = 0;
  std::string_view threads;
};

/// 16-bit mma.m16n8k8 and m16n8k16, wgmma's registers, ldmatrix and stmatrix.
std::span<const Atom> instruction_atoms();

/// Throws a usage error that lists what there is.
const Atom& find_atom(std::string_view instruction, std::string_view operand);

}  // namespace tilewright
