// The layers of a grid's picture.
#pragma once

#include <vector>

#include "draw/legend.hpp"
#include "draw/scene.hpp"
#include "tile/tile_config.hpp"

namespace tilewright {

/// What is drawn and where: `origin` is the top left of tile `first`.
struct GridFrame {
  TileCoord grid;        // the matrix, in tiles
  TileCoord first = {};  // drawn
  ClusterShape cluster = {};
  std::vector<TileCoord> order = {};  // by slot
  int rows = 0;                       // drawn, overhang included
  int columns = 0;
  int64_t ctas = 0;                   // of a wave; 0: tiles are coloured by their slot
  std::vector<int> wave_colors = {};  // of every wave, a hue's index
  std::vector<int> heat = {};         // of every wave, a step of palette::heat_color; none: by wave
  double cell_width = 0;              // of a tile
  double cell_height = 0;
  Point origin = {};
};

/// Gives every wave its colour; what is drawn and the CTAs stand already.
void color_waves(GridFrame& frame);

/// Pixels that the axes take left of and above the origin.
Point axis_margin(const GridFrame& frame);

/// Tiles by wave or slot, overhang hatched.
std::vector<SceneItem> tile_items(const GridFrame& frame);

/// Lines between tiles and around clusters, the outline of the matrix.
std::vector<SceneItem> line_items(const GridFrame& frame);

/// The path through the centres, its start and its end.
std::vector<SceneItem> path_items(const GridFrame& frame);

/// The slot of every tile, where it is legible.
std::vector<SceneItem> slot_items(const GridFrame& frame);

/// Numbers of rows and columns, and which is m and n.
std::vector<SceneItem> axis_items(const GridFrame& frame);

/// What the picture's marks mean; only those that it has.
std::vector<LegendEntry> legend_entries(const GridFrame& frame);

}  // namespace tilewright
