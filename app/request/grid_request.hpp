// What the command line asks of analyze grid and draw grid, in the library's types.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "draw/grid_diagram.hpp"
#include "request/options.hpp"
#include "tile/config/raster.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/plan/grid_report.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// The prefix of an order's path where a raster's name is expected.
inline constexpr std::string_view kFilePrefix = "file:";

/// An order of the tiles of a grid, and the launch that it is priced for. An order of a file or of
/// a foreign kernel is read.
struct GridRequest : GridSettings {
  TileCoord tiles;
  Raster raster;
  std::shared_ptr<const GivenOrder> given;  // instead of the raster; may be null
  ClusterShape cluster;
  GridPeers peers;
  std::optional<DeviceSpec> device;
  std::optional<TileShape> cta;  // with a device; predicts traffic
};

/// Parses the options once. Throws a usage error for a text that is malformed, and for options that
/// contradict each other or lack another one.
GridRequest read_grid_request(const GridOptions& options);

/// `analyze grid --rank`: all rasters for a problem. Stages of the config are chosen later.
struct RankRequest {
  Problem problem;
  TileConfig config;
  DeviceSpec device;
  int64_t top = 0;  // rasters listed
  std::vector<CheckExpression> checks;
};

RankRequest read_rank_request(const GridOptions& options);

/// `draw grid`.
struct DrawGridRequest {
  GridRequest grid;
  std::optional<GridRequest> versus;  // the same grid in another order
  std::optional<TileWindow> window;   // none: all tiles
  std::optional<GridColor> color;     // none: wave where there are CTAs, else slot
  PictureOptions picture;
};

DrawGridRequest read_draw_grid_request(const GridOptions& options);

}  // namespace tilewright
