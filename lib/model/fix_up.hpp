// What joining the parts of a divided tile takes.
#pragma once

#include "tile/decomposition.hpp"
#include "tile/device_spec.hpp"
#include "tile/tile_config.hpp"

namespace tilewright {

/// Bytes of a tile of fp32 partial sums.
double partial_tile_bytes(const TileShape& cta);

/// Moving them between a CTA and L2, at a multiprocessor's share of the bandwidth.
double partial_tile_move_us(const TileShape& cta, const DeviceSpec& device);

/// Time that a part takes behind its main loop, its wait for others left out. `first` begins its
/// tile, `last` ends it.
double fix_up_us(Reduction reduction, const TileShape& cta, const DeviceSpec& device, bool first,
                 bool last);

/// The second kernel of a workspace reduction over so many parts.
double workspace_kernel_us(int64_t parts, const TileShape& cta, const DeviceSpec& device);

}  // namespace tilewright
