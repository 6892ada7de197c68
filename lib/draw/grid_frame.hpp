// What the parts of a grid's picture share: which tiles are drawn where, in which colour.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "draw/scene.hpp"
#include "tile/plan/grid_report.hpp"

namespace tilewright {

/// What is drawn and where: `origin` is the top left of tile `first`.
struct GridFrame {
  TileCoord grid;        // the matrix, in tiles
  TileCoord first = {};  // drawn
  ClusterShape cluster = {};
  std::vector<TileCoord> order = {};  // by slot
  int rows = 0;                       // drawn, overhang included
  int columns = 0;
  int64_t bid_x = 0;                  // CTAs along x of a launch of two extents; 0: it has one
  int64_t ctas = 0;                   // of a wave; 0: tiles are coloured by their slot
  std::vector<int> wave_colors = {};  // of every wave, a hue's index
  std::vector<double> rereads_operands =
      {};                 // of every wave, wave_rereads(); none: coloured by wave
  double cell_width = 0;  // of a tile
  double cell_height = 0;
  Point origin = {};
};

bool is_drawn(const GridFrame& frame, TileCoord tile);

/// How many slots each tile drawn has, row-major.
std::vector<int> visits_of(const GridFrame& frame);

/// Row-major among those drawn.
size_t cell_of(const GridFrame& frame, TileCoord tile);

/// The top left of tile (m, n), and of the lines behind the last ones.
Point corner(const GridFrame& frame, int m, int n);
Point center(const GridFrame& frame, TileCoord tile);

/// The shorter side of a tile: what decides how much detail fits.
double cell_size(const GridFrame& frame);

/// What the wave of a slot reads from DRAM, over its share; `rereads_operands` are there.
double rereads_of(const GridFrame& frame, size_t slot);

/// The hue of a slot's wave, its heat, or the step of the ramp; and what that looks like.
int color_index(const GridFrame& frame, size_t slot);
Color color_of(const GridFrame& frame, int index);

/// Gives every wave its colour, the same in all frames; what is drawn and the CTAs stand already.
void color_waves(std::span<GridFrame> frames);

/// Equal neighbours merged into rectangles, so that a picture of many tiles stays small. rows x
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
