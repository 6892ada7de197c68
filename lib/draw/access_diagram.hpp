// The picture of warp instructions: lanes by bank, or by line of global memory.
#pragma once

#include <cstddef>
#include <span>

#include "draw/room.hpp"
#include "draw/scene.hpp"
#include "layout/smem/wavefronts.hpp"

namespace tilewright {

/// Phases of all instructions that one picture holds.
inline constexpr size_t kMostDrawnPhases = 32;

/// Shared memory: for each phase the banks that its lanes touch, coloured by which of the bank's
/// words that is, and below it the words of each bank on top of each other, one wavefront a row.
/// Throws a usage error beyond kMostDrawnPhases, and like count_wavefronts.
Scene shared_access_diagram(std::span<const WarpAccess> accesses, const Room& room = {});

/// Global memory: for each request its lines of 128 bytes, the words used and the rest of the
/// sectors that move with them. Throws a usage error beyond kMostDrawnPhases, and like
/// count_sectors.
Scene global_access_diagram(std::span<const WarpAccess> accesses, const Room& room = {});

}  // namespace tilewright
