#include "grid_subject.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "devices.hpp"
#include "model/estimate.hpp"
#include "search/enumerate.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

void require_together(const GridOptions& o) {
  const bool cta = !o.cta.empty();
  if (o.device.empty() && (cta || o.k != 0)) {
    throw usage_error("--cta and --k predict memory traffic: add --device, such as --device h200");
  }
  if (cta && o.k == 0)
    throw usage_error("--cta predicts memory traffic: add --k, such as --k 4096");
  if (!cta && o.k != 0) {
    throw usage_error("--k predicts memory traffic: add --cta, such as --cta 128x256x64");
  }
}

GridTraffic predict_traffic(const GridOptions& o, const GridReport& report, DeviceSpec device) {
  TileConfig config;
  config.cta = parse_tile(o.cta);
  config.cluster = report.cluster;
  config.raster = report.raster;
  Problem problem{.shape = {}, .dtype = parse_data_type(o.dtype)};
  const TileCoord tiles = report.proof.tiles;
  problem.shape = {int64_t{tiles.m} * config.cta.m, int64_t{tiles.n} * config.cta.n, o.k};
  if (std::max(problem.shape.m, problem.shape.n) > kMostSize) {
    throw usage_error(format("{}x{} tiles of {} are beyond {} elements a side", tiles.m, tiles.n,
                             o.cta, kMostSize));
  }
  config.stages = deepest_stages(config, problem, device);
  const auto rejection = reject_tile(problem, config.cta, config.cluster, device);
  if (std::min(report.waves->ctas, report.proof.slots) > kMostCtas) {
    throw usage_error(
        format("{} CTAs at a time are more than the {} whose traffic is predicted: "
               "use fewer --ctas",
               report.waves->ctas, kMostCtas));
  }
  // Persistent CTAs, one a multiprocessor; those beyond the slots stay idle.
  device.sm_count = static_cast<int>(std::min(report.waves->ctas, kMostCtas));
  const L2Traffic replayed = replay_l2(make_plan(problem, config, device), device);
  GridTraffic traffic{.dram_read_bytes = replayed.dram_read_bytes,
                      .l2_hit_rate = replayed.hit_rate,
                      .compulsory_bytes = static_cast<double>(problem.shape.m + problem.shape.n) *
                                          static_cast<double>(o.k) * element_bytes(problem.dtype)};
  if (rejection) traffic.not_runnable = rejection->reason;
  if (o.picture.output.empty()) return traffic;
  for (const WaveTraffic& wave : replayed.waves) {
    traffic.waves.insert(traffic.waves.end(), static_cast<size_t>(wave.rounds),
                         {wave.tiles, wave.dram_read_bytes});
  }
  return traffic;
}

}  // namespace

GridReport report_grid(const GridOptions& o) {
  if (o.grid.find('x') != o.grid.rfind('x')) {
    throw usage_error(
        format("'{}' has three sizes: add --rank to rank the rasters of a problem, "
               "or write the grid in tiles, MxN",
               o.grid));
  }
  require_together(o);
  parse_data_type(o.dtype);
  GridReport report;
  report.raster = parse_raster(o.raster);
  report.cluster = parse_cluster(o.cluster);
  const TileCoord grid = parse_grid(o.grid);
  std::optional<DeviceSpec> device;
  if (!o.device.empty()) device = resolve_device(o.device).spec;
  report.proof = prove_grid(report.raster, grid, report.cluster);
  if (device) report.device = device->name;
  if (device || o.ctas > 0) {
    report.waves =
        count_waves(report.proof, o.ctas > 0 ? o.ctas : device->sm_count, report.cluster);
  }
  if (device && !o.cta.empty()) report.traffic = predict_traffic(o, report, *device);
  return report;
}

}  // namespace tilewright
