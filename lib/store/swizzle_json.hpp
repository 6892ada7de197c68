// `analyze swizzle` as JSON.
#pragma once

#include <cstddef>
#include <string>

#include "layout/smem/swizzle_report.hpp"

namespace tilewright {

/// {"tile", "candidates": [{swizzle, units, write_wavefronts, ...}], "rule", "paddings", ...},
/// indented, with a final newline; `top` candidates and paddings at most. Wavefronts are those of
/// the dearest instruction, totals those of the whole tile.
std::string swizzle_json(const SwizzleReport& report, size_t top);

}  // namespace tilewright
