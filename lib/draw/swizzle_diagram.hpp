// The picture of a swizzle: where the vectors of a tile lie before and after it.
#pragma once

#include <cstdint>

#include "draw/scene.hpp"
#include "layout/smem/swizzle_report.hpp"

namespace tilewright {

/// The vectors of the tile by the bank of their first byte, without a swizzle and with the report's
/// first candidate. The costliest phase of the read without a swizzle is outlined in both (of the
/// write, where only the write has conflicts). Lanes that access its busiest bank have a folded
/// corner. Throws a usage error for more vectors than a picture holds.
Scene swizzle_diagram(const SwizzleReport& report, const AvailableSize& available = {});

/// The same for a tile without accesses: only the banks of its vectors.
Scene swizzle_diagram(const SwizzleFacts& facts, int64_t vector,
                      const AvailableSize& available = {});

}  // namespace tilewright
