// What a CTA of an sm90 kernel spends to join the parts of a divided tile. mma_price.cpp prices the
// families whose parts are joined after the last CTA.
//
//   main loop | before | wait, by the WaitMode | after | epilogue
#pragma once

#include <cstdint>

#include "tile/config/decomposition.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

using tw::WaitMode;

/// A part's position among the parts of its tile.
struct FixupRole {
  bool first = false;  // begins the tile
  bool last = false;   // ends it
  int64_t parts = 2;   // of the tile
  int64_t active = 1;  // CTAs of the launch that join parts at the same time
};

/// Microseconds of a part besides its main loop, its wait and its epilogue.
struct FixupCost {
  double before_us = 0;  // moves of sums before the wait
  double after_us =
      0;  // moves after the wait; for WaitMode::LastArrives, of the last part to arrive only
  bool stores = false;   // the part runs an epilogue after that
  double finished = 0;   // share of the tile that this epilogue's operations and loads of C are for
  double signal_us = 0;  // of after_us: waiting for the other parts' signal, while nothing moves
};

FixupCost fixup_cost(Reduction reduction, const TileShape& cta, const FixupRates& rates,
                     const FixupRole& role);

/// Bytes of a tile of fp32 partial sums.
double partial_tile_bytes(const TileShape& cta);

/// Microseconds of the second kernel of a workspace reduction over `parts` parts; 0 for other
/// reductions.
double second_kernel_us(Reduction reduction, int64_t parts, const TileShape& cta,
                        const FixupRates& rates);

}  // namespace tilewright
