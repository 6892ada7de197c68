// What joining the parts of a divided tile takes: the one place that says so.
//
//   main loop | before | wait as the meeting says | after | epilogue
#pragma once

#include <cstdint>

#include "tile/config/decomposition.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

using tw::Meeting;

/// A part among those of its tile.
struct PartRole {
  bool first = false;  // begins the tile
  bool last = false;   // ends it
  int64_t parts = 2;   // of the tile
  int64_t active = 1;  // CTAs of the launch that join parts at the time
};

/// Time of a part beside its main loop, its waiting and its epilogue; microseconds.
struct PartCost {
  double before_us = 0;  // moving sums before it waits
  double after_us = 0;   // and once it goes on; where the last to come finishes, only its
  bool stores = false;   // then it runs an epilogue
  double signal_us = 0;  // of after_us, until the others' word is there and nothing moves
};

PartCost part_cost(Reduction reduction, const TileShape& cta, const JoinRates& rates,
                   const PartRole& role);

/// Bytes of a tile of fp32 partial sums.
double partial_tile_bytes(const TileShape& cta);

/// The second kernel of a workspace reduction over so many parts; 0 for the others.
double second_kernel_us(Reduction reduction, int64_t parts, const TileShape& cta,
                        const JoinRates& rates);

}  // namespace tilewright
