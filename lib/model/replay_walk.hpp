// How the clusters of a replay walk their tiles, and what L2 misses on the way.
#pragma once

#include <vector>

#include "model/partial_tiles.hpp"
#include "model/replay_deal.hpp"
#include "model/replay_scope.hpp"
#include "model/slab_names.hpp"

namespace tilewright {

/// Operands that DRAM gives, and what joining parts moves.
struct ReplayMisses {
  std::vector<double> operand_bytes;  // by round
  MovedBytes partial;
};

/// Each cluster goes on when its last step is done and the slabs of the next are there; so do parts
/// of a tile that wait for others.
ReplayMisses walk_in_time(const ReplayScope& scope, const ReplayDeal& dealt,
                          const SlabNames& slabs);

/// All clusters take whole tiles step by step; what several read at once is read once on each side
/// of L2.
ReplayMisses walk_in_lockstep(const ReplayScope& scope, const ReplayDeal& dealt,
                              const SlabNames& slabs);

}  // namespace tilewright
