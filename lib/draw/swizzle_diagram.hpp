// The picture of a swizzle: where the vectors of a tile lie before and after it.
#pragma once

#include <cstdint>

#include "draw/room.hpp"
#include "draw/scene.hpp"
#include "layout/smem/swizzle_report.hpp"

namespace tilewright {

/// Vectors of the tile by the bank of their first byte, plain and with the report's first
/// candidate. The costliest phase of the plain read (or of the write, where only that has
/// conflicts) is outlined in both, lanes that meet in its busiest bank have a folded corner. Throws
/// a usage error for more vectors than a picture holds.
Scene swizzle_diagram(const SwizzleReport& report, const Room& room = {});

/// The same where nothing accesses the tile: the banks of its vectors alone.
Scene swizzle_diagram(const SwizzleFacts& facts, int64_t vector, const Room& room = {});

}  // namespace tilewright
