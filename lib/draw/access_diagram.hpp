// The picture of warp instructions: lanes by bank, or by line of global memory.
#pragma once

#include <cstddef>
#include <span>

#include "draw/scene.hpp"
#include "layout/smem/wavefronts.hpp"

namespace tilewright {

/// Most phases of all instructions in one picture.
inline constexpr size_t kMaxDrawnPhases = 32;

/// Shared memory: each phase shows the banks that its lanes access, coloured by the rank of the
/// word within its bank; below, the words of each bank are stacked, one wavefront a row. Throws a
/// usage error beyond kMaxDrawnPhases, and the errors of count_wavefronts().
Scene shared_access_diagram(std::span<const WarpAccess> accesses,
                            const AvailableSize& available = {});

/// Global memory: each request shows its 128-byte lines with the words used and the rest of their
/// sectors, which are transferred as well. Throws a usage error beyond kMaxDrawnPhases, and the
/// errors of count_sectors().
Scene global_access_diagram(std::span<const WarpAccess> accesses,
                            const AvailableSize& available = {});

}  // namespace tilewright
