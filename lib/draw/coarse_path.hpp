// The walk over tiles that are too small for it: its stretches, in strides, with their numbers.
#pragma once

#include <span>
#include <vector>

#include "draw/grid_frame.hpp"
#include "draw/scene.hpp"

namespace tilewright {

/// Slots of the walk in a row; all of them are drawn.
struct Stretch {
  size_t first = 0;
  std::span<const TileCoord> tiles;
};

/// The walk inside of what is drawn, cut at jumps of more than `most_jump` tiles.
std::vector<Stretch> stretches_of(const GridFrame& frame, int most_jump);

/// True where single steps cannot be told apart.
bool is_coarse(const GridFrame& frame);

/// Tiles of a stride: a power of four, so that curves which nest show their next coarser selves.
size_t coarse_tiles(const GridFrame& frame);

/// Every stretch that has room for the numbers of its first and last slots: a line from the first
/// tile through the middles of strides to the last one. A walk of few stretches has numbers on its
/// way, too.
std::vector<SceneItem> coarse_path(const GridFrame& frame);

}  // namespace tilewright
