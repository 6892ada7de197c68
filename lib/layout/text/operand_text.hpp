// Evaluates CuTe DSL's calls that lay out a wgmma operand in shared memory.
#pragma once

#include <optional>
#include <string_view>

#include "layout/text/text_reading.hpp"

namespace tilewright {

/// Evaluates make_smem_layout_atom(), make_smem_layout_a(), _b() and _epi(). The result maps
/// (M or N, K[, stage]) to offsets in elements; a warning gives the swizzle on bytes, as CuTe DSL
/// prints it. Returns nullopt for another word. Throws a usage error that names the call and the
/// argument.
std::optional<LayoutValue> read_operand(std::string_view word, const TextReading& reading);

}  // namespace tilewright
