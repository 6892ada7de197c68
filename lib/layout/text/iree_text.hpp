// Parses layouts as IREE's compiler prints them.
#pragma once

#include <string_view>

#include "layout/algebra/layout.hpp"

namespace tilewright {

/// True where the text holds a nested layout, a matrix instruction, a pack or an encoding's tiles.
bool is_iree_text(std::string_view text);

/// "#iree_vector_ext.nested_layout<...>" and "#iree_gpu.mma_layout<...>" map (thread, value) to
/// elements, first dimension fastest. mma_layout describes the accumulator, or with
/// "operand_index = 0" or 1 an operand. "linalg.pack ..." and "encoding_info = {...}" map a
/// coordinate of the tensor to its offset in the packed tensor; an encoding without a tensor type
/// describes one tile. Throws a usage error that names what is missing or unknown.
Layout parse_iree(std::string_view text);

}  // namespace tilewright
