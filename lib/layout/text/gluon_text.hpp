// Translates layouts of Gluon's Python programs to attributes of TTGIR.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

/// True where the text holds a call such as gl.BlockedLayout(...).
bool is_gluon_text(std::string_view text);

/// Translates "gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16)" to
/// "#ttg.nvmma_shared<{...}>". Inside gl.allocate_shared_memory(gl.float16, [64, 64], ...) the
/// extents become a tensor type around the attribute. Throws a usage error that names the argument.
std::string ttgir_of_gluon(std::string_view text);

}  // namespace tilewright
