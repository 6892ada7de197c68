// Evaluates calls that tile instructions and layouts: make_tiled_mma(), make_tiled_copy(),
// local_tile().
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "layout/algebra/derivation.hpp"
#include "layout/algebra/layout_value.hpp"
#include "layout/text/layout_lexer.hpp"

namespace tilewright {

/// Reads the expression that comes next.
using NextExpression = std::function<LayoutValue()>;

/// Evaluates the text that begins with `word`: a matrix instruction of CUTLASS, alone or in
/// MMA_Atom<>, TiledMMA<> or make_tiled_mma(); a copy in make_tiled_copy(); cute.make_layout_tv();
/// local_tile(). All but the last are layouts of (thread, value). Adds to `why` a warning with the
/// operand chosen, or with the tile's offset. Returns nullopt for another word. Throws a usage
/// error that names the column, the instruction or the mode.
std::optional<LayoutValue> read_tiled(std::string_view word, LayoutLexer& lexer,
                                      const NextExpression& next, Derivation* why);

}  // namespace tilewright
