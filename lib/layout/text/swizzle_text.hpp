// Parses swizzles, and the pointers behind them, as programs write and print them. Usage errors
// name the column.
#pragma once

#include "layout/algebra/layout_value.hpp"
#include "layout/algebra/swizzle.hpp"
#include "layout/text/layout_lexer.hpp"

namespace tilewright {

/// Reads "<B,M,S>" or "(B,M,S)" behind the name. The type of CuTe C++ may leave out S, which is B
/// then; CuTe DSL may name the numbers: "(b=3, m=4, s=3)".
Swizzle read_swizzle(LayoutLexer& lexer, bool is_type = false);
/// Reads "<0b1000, 0b0100>()" behind make_swizzle: the bits read and the bits changed.
Swizzle read_swizzle_masks(LayoutLexer& lexer);
/// Reads "SW_3_4_3" or "SW_3_4_-3"; the lexer ends `name` before the minus.
Swizzle read_swizzle_name(LayoutLexer& lexer, const LayoutToken& name);
/// Reads "[16b](unset)" behind smem_ptr.
PointerTag read_pointer(LayoutLexer& lexer);

}  // namespace tilewright
