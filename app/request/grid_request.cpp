#include "request/grid_request.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "host/devices.hpp"
#include "request/harness_grid.hpp"
#include "request/sweep_request.hpp"
#include "store/given_mapping.hpp"

namespace tilewright {
namespace {

void require_tiles(const GridOptions& o) {
  if (split_sizes(o.grid).size() <= 2) return;
  throw usage_error(
      format("'{}' has three sizes: add --rank to rank the rasters of a problem, "
             "or write the grid in tiles, MxN",
             o.grid));
}

void require_together(const GridOptions& o) {
  const bool cta = !o.cta.empty();
  if (o.device.empty() && (cta || o.k != 0)) {
    throw usage_error("--cta and --k predict memory traffic: add --device, such as --device h200");
  }
  if (!o.harness.empty()) return;
  if (cta && o.k == 0)
    throw usage_error("--cta predicts memory traffic: add --k, such as --k 4096");
  if (!cta && o.k != 0) {
    throw usage_error("--k predicts memory traffic: add --cta, such as --cta 128x256x64");
  }
}

// Takes a raster's name, or file:PATH.
void take_order(const std::string& text, GridRequest& request) {
  request.given = nullptr;
  request.raster = {};
  if (!text.starts_with(kFilePrefix)) {
    if (!text.empty()) request.raster = parse_raster(text);
    return;
  }
  const std::string path = text.substr(kFilePrefix.size());
  if (path.empty()) throw usage_error("--raster file: lacks a path: write file:order.csv");
  if (request.cluster != ClusterShape{}) {
    throw usage_error("a file gives the tile of every CTA itself: omit --cluster");
  }
  GivenOrder order = parse_given_order(read_file(path), path);
  order.name = text;  // as the user wrote it
  request.given = std::make_shared<GivenOrder>(std::move(order));
}

void require_parallel(const GridOptions& o) {
  if (o.gpus == 1 && o.gpu == 0 && o.chunks == 1 && !o.rank_order) return;
  throw usage_error(format(
      "--gpus, --gpu, --chunks and --rank-order are of a grid that GPUs share: add --parallel {}",
      join_words(collective_names(), "or")));
}

// The GPUs that share the grid. Their blocks are whole rows of clusters.
GridPeers read_peers(const GridOptions& o, TileCoord tiles, ClusterShape cluster) {
  if (o.parallel == Collective::None) {
    require_parallel(o);
    return {};
  }
  const auto gpus = static_cast<int>(o.gpus);
  require_gpus({o.parallel, gpus});
  if (o.gpu >= o.gpus) {
    throw usage_error(format("--gpu {}: the GPUs are 0 to {}", o.gpu, o.gpus - 1));
  }
  const GridPeers peers{o.parallel,
                        {.gpus = gpus,
                         .rank = static_cast<int>(o.gpu),
                         .chunks = static_cast<int>(o.chunks),
                         .order = o.rank_order.value_or(RankOrder::Chunks),
                         .own_last = !gathers_rows(o.parallel)}};
  const int least = peers.blocks.count() * cluster.m;
  if (tiles.m % least == 0) return peers;
  throw usage_error(format(
      "{} rows of tiles are not {} blocks ({} GPUs, chunks={}) of whole clusters of {}: use a "
      "multiple of {} rows",
      tiles.m, peers.blocks.count(), o.gpus, o.chunks, to_string(cluster), least));
}

void take_harness(HarnessGrid grid, GridRequest& request) {
  request.given = std::make_shared<GivenOrder>(std::move(grid.order));
  request.tiles = grid.tiles;
  if (!request.device) return;
  constexpr int kStep = 64;  // elements of K; the replay takes longer steps
  request.cta = parse_tile(format("{}x{}x{}", grid.tile_m, grid.tile_n, kStep));
  request.k = grid.k;
}

void require_raster(const GridRequest& request) {
  if (request.peers == GridPeers{} || !request.given) return;
  throw usage_error("a file gives the tile of every slot itself: omit --parallel");
}

void require_ranking_options(const GridOptions& o) {
  if (split_sizes(o.grid).size() < 3) {
    throw usage_error(
        format("'{}' is a grid in tiles: --rank takes a problem in elements, MxNxK, such as "
               "8192x8192x8192",
               o.grid));
  }
  if (o.cta.empty()) throw usage_error("--rank needs --cta, such as --cta 128x256x64");
  if (o.k != 0) throw usage_error("--rank takes K from the problem: omit --k");
  if (o.ctas != 0)
    throw usage_error("--rank takes the number of CTAs from the device: omit --ctas");
  if (o.parallel != Collective::None) {
    throw usage_error("--rank compares rasters on one GPU: omit --parallel");
  }
  if (o.order)
    throw usage_error("--order lists the slots of one raster: name the raster and omit --rank");
}

}  // namespace

GridRequest read_grid_request(const GridOptions& o) {
  require_sweep(o.sweep, "grid", o.format);
  GridRequest request;
  static_cast<GridSettings&>(request) = o;
  std::optional<HarnessGrid> foreign;
  if (o.harness.empty()) {
    require_tiles(o);
  } else {
    if (o.parallel != Collective::None) {
      throw usage_error("--from-harness gives the order of one GPU: omit --parallel");
    }
    foreign = harness_grid(o);
  }
  require_together(o);
  if (!o.device.empty()) request.device = resolve_device(o.device).spec;
  if (foreign) {
    take_harness(std::move(*foreign), request);
    return request;
  }
  request.cluster = parse_cluster(o.cluster);
  take_order(o.raster, request);
  request.tiles = parse_grid(o.grid);
  request.peers = read_peers(o, request.tiles, request.cluster);
  require_raster(request);
  if (!o.cta.empty()) request.cta = parse_tile(o.cta);
  return request;
}

RankRequest read_rank_request(const GridOptions& o) {
  require_ranking_options(o);
  RankRequest request{.problem = {parse_shape(o.grid), {.dtype = o.dtype}},
                      .config = {},
                      .device = resolve_device(o.device.empty() ? "auto" : o.device).spec,
                      .top = o.top,
                      .checks = o.checks};
  request.config.cta = parse_tile(o.cta);
  request.config.cluster = parse_cluster(o.cluster);
  return request;
}

DrawGridRequest read_draw_grid_request(const GridOptions& o) {
  DrawGridRequest request{.grid = read_grid_request(o),
                          .versus = std::nullopt,
                          .window = std::nullopt,
                          .color = o.color,
                          .picture = o.picture};
  if (!o.tiles.empty()) request.window = parse_tile_window(o.tiles, request.grid.tiles);
  if (!o.versus.empty()) {
    request.versus = request.grid;
    take_order(o.versus, *request.versus);
    require_raster(*request.versus);
  }
  return request;
}

}  // namespace tilewright
