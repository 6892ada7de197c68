// Swizzles as programs write and print them.
#pragma once

#include "layout/algebra/swizzle.hpp"
#include "layout/text/layout_lexer.hpp"

namespace tilewright {

/// "<B,M,S>" or "(B,M,S)" behind the name; the type of CuTe C++ has S = B where it is left out,
/// CuTe DSL names the numbers. Here and below a usage error names the column.
Swizzle read_swizzle(LayoutLexer& lexer, bool is_type = false);
/// "<0b1000, 0b0100>()" behind make_swizzle: the bits read and the bits changed.
Swizzle read_swizzle_masks(LayoutLexer& lexer);
/// "SW_3_4_3", "SW_3_4_-3": the lexer ends the word before a minus.
Swizzle read_swizzle_name(LayoutLexer& lexer, const LayoutToken& name);

}  // namespace tilewright
