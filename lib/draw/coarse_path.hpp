// The walk drawn over tiles too small for single steps: stretches in strides, with slot numbers.
#pragma once

#include <span>
#include <vector>

#include "draw/grid_frame.hpp"
#include "draw/scene.hpp"

namespace tilewright {

/// Consecutive slots of the walk, all of them drawn.
struct Stretch {
  size_t first = 0;
  std::span<const TileCoord> tiles;
};

/// The walk inside the drawn area, cut at jumps of more than `most_jump` tiles.
std::vector<Stretch> stretches_of(const GridFrame& frame, int most_jump);

/// True where tiles are too small to distinguish single steps.
bool is_coarse(const GridFrame& frame);

/// Tiles per stride: a power of four, so that nested curves keep their shape one level up.
size_t coarse_tiles(const GridFrame& frame);

/// Draws every stretch that has room for the numbers of its first and last slots: a line from the
/// first tile through the middles of strides to the last one. A walk of few stretches also has
/// numbers along the way.
std::vector<SceneItem> coarse_path(const GridFrame& frame);

}  // namespace tilewright
