// Layouts as Gluon's Python programs write them, put into the words of TTGIR.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

/// True where the text holds a call such as gl.BlockedLayout(...).
bool is_gluon_text(std::string_view text);

/// "gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16)" as
/// "#ttg.nvmma_shared<{...}>". The list of extents of gl.allocate_shared_memory(gl.float16, [64,
/// 64], ...) becomes a tensor around it. Throws a usage error that names the argument.
std::string ttgir_of_gluon(std::string_view text);

}  // namespace tilewright
