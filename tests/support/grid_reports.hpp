// Reports of grids without a device.
#pragma once

#include "tile/plan/grid_proof.hpp"
#include "tile/plan/grid_report.hpp"

namespace tilewright::testing {

/// `ctas` > 0 adds the waves of a launch of that many CTAs.
inline GridReport report_of(const char* raster, TileCoord grid, int64_t ctas = 0,
                            ClusterShape cluster = {}) {
  GridReport report;
  report.raster = parse_raster(raster);
  report.cluster = cluster;
  report.proof = prove_grid(report.raster, grid, cluster);
  if (ctas > 0) report.waves = count_waves(report.proof, ctas, cluster);
  return report;
}

/// GPU `rank`'s report of a grid that GPUs share.
inline GridReport shared_report_of(const char* raster, TileCoord grid, Collective collective,
                                   const tw::PeerBlocks& blocks, ClusterShape cluster = {}) {
  GridReport report;
  report.raster = parse_raster(raster);
  report.cluster = cluster;
  report.peers = {collective, blocks};
  report.peers.blocks.own_last = collective != Collective::AllGather;
  report.proof = prove_grid(report.raster, grid, cluster, report.peers.blocks);
  return report;
}

}  // namespace tilewright::testing
