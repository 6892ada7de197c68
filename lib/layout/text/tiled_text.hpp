// Evaluates calls that tile instructions: make_tiled_mma() and make_tiled_copy() and its variants.
#pragma once

#include <optional>
#include <string_view>

#include "layout/text/text_reading.hpp"

namespace tilewright {

/// Evaluates the text that begins with `word`: a matrix instruction, alone, in make_tiled_mma() or
/// in TiledMMA<>; a copy in make_tiled_copy(), make_tiled_copy_tv(), or make_tiled_copy_A() and
/// others that follow a tiled MMA or a tiled copy; make_layout_tv(). All are layouts of (thread,
/// value) to the tile's elements, first mode fastest. Warns which operand or side it chose. Returns
/// nullopt for another word. Throws a usage error that names the call and the argument.
std::optional<LayoutValue> read_tiled(std::string_view word, const TextReading& reading);

}  // namespace tilewright
