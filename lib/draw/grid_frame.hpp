// Geometry and colours that the layers of a grid's picture share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "draw/scene.hpp"
#include "tile/plan/grid_report.hpp"

namespace tilewright {

/// The drawn part of a grid; `origin` is the top left of tile `first`.
struct GridFrame {
  TileCoord grid;        // the matrix, in tiles
  TileCoord first = {};  // first tile drawn
  ClusterShape cluster = {};
  std::vector<TileCoord> order = {};  // indexed by slot
  int rows = 0;                       // rows drawn, overhang included
  int columns = 0;
  int64_t bid_x = 0;           // CTAs along x of a launch with two extents; 0: the launch has one
  tw::PeerBlocks blocks = {};  // of rows, where several GPUs share the grid
  bool by_owner = false;       // tiles are coloured by the GPU that owns their rows
  int64_t ctas = 0;  // CTAs of a wave; 0: tiles are coloured by their slot, or their owner
  std::vector<int> wave_colors = {};  // hue index of each wave
  std::vector<double> rereads_operands =
      {};                 // wave_rereads() of each wave; empty: coloured by wave
  double cell_width = 0;  // width of a tile, pixels
  double cell_height = 0;
  Point origin = {};
};

bool is_drawn(const GridFrame& frame, TileCoord tile);

/// The number of slots of each drawn tile, row-major.
std::vector<int> visits_of(const GridFrame& frame);

/// Row-major index of the tile among the drawn tiles.
size_t cell_of(const GridFrame& frame, TileCoord tile);

/// The top left of tile (m, n); for the first index behind the grid, its outer edge.
Point corner(const GridFrame& frame, int m, int n);
Point center(const GridFrame& frame, TileCoord tile);

/// The shorter side of a tile, which decides how much detail fits.
double cell_size(const GridFrame& frame);

/// DRAM reads of the slot's wave over its share; needs `rereads_operands`.
double rereads_of(const GridFrame& frame, size_t slot);

/// Index of a slot's hue (by wave), shade (by owner), heat step or ramp step, and the style for an
/// index.
int color_index(const GridFrame& frame, size_t slot);
Color color_of(const GridFrame& frame, int index);

/// Sets the wave colours, the same in all frames; needs the drawn tiles and `ctas`.
void color_waves(std::span<GridFrame> frames);

/// A rectangle of equal neighbours, merged so that a picture of many tiles stays small: rows x
/// columns tiles from (m, n) that all hold `value`.
struct TileArea {
  int value = 0;
  int m = 0;
  int n = 0;
  int rows = 0;
  int columns = 0;
  bool operator==(const TileArea&) const = default;
};

/// Covers the row-major `values` (a multiple of `columns` long) by areas that do not overlap,
/// ordered by value, then by place.
std::vector<TileArea> merge_areas(std::span<const int> values, int columns);

}  // namespace tilewright
