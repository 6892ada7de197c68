// What a whole copy costs: the wavefronts of all its warp instructions.
#pragma once

#include <cstdint>
#include <span>

#include "base/interruption.hpp"
#include "layout/smem/tile_pattern.hpp"
#include "layout/smem/wavefronts.hpp"

namespace tilewright {

/// Wavefronts over all instructions of a copy.
struct TileCost {
  int64_t instructions = 0;
  int64_t total = 0;
  int64_t ideal = 0;  // total without conflicts
  int64_t least = 0;  // of one instruction
  int64_t most = 0;
  bool operator==(const TileCost&) const = default;
};

inline int64_t conflicts(const TileCost& cost) {
  return cost.total - cost.ideal;
}
inline double mean(const TileCost& cost) {
  return cost.instructions == 0
             ? 0
             : static_cast<double>(cost.total) / static_cast<double>(cost.instructions);
}

/// Adds one instruction.
void add_access(const WarpAccess& access, TileCost& cost);

/// The cost of a walk whose element e lies at byte `element_bytes` * offset(e).
template <class Offset>
TileCost cost_of_walk(const AccessOp& op, std::span<const LaneElements> walk, int element_bytes,
                      const Offset& offset) {
  TileCost cost;
  WarpAccess access{.op = op, .addresses = {}};
  for (const LaneElements& lanes : walk) {
    throw_if_interrupted();
    for (size_t lane = 0; lane < kWarpLanes; ++lane) {
      access.addresses[lane] =
          lanes[lane] == kInactive ? kInactive : offset(lanes[lane]) * element_bytes;
    }
    add_access(access, cost);
  }
  return cost;
}

}  // namespace tilewright
