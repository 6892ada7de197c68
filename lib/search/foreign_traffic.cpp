#include "search/foreign_traffic.hpp"

#include "base/limits.hpp"
#include "base/math.hpp"
#include "model/l2_replay.hpp"
#include "tile/plan/external_schedule.hpp"
#include "tile/plan/grid_proof.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

std::optional<double> foreseen_read_bytes(const ForeignMapping& mapping, const Problem& problem,
                                          const DeviceSpec& device) {
  if (!mapping.why_not.empty() || mapping.tile_m <= 0 || mapping.tile_n <= 0) return std::nullopt;
  if (device.l2_bytes <= 0 || device.sm_count <= 0) return std::nullopt;
  const TileCoord grid{static_cast<int>(ceil_div(problem.shape.m, mapping.tile_m)),
                       static_cast<int>(ceil_div(problem.shape.n, mapping.tile_n))};
  const GridProof proof = prove_order(mapping.tiles, grid);
  if (proof.missing_count > 0 || proof.duplicate_count > 0) return std::nullopt;
  constexpr int kStep = 64;  // along K; the replay itself may take longer steps
  TileConfig config;
  config.cta = {static_cast<int>(mapping.tile_m), static_cast<int>(mapping.tile_n), kStep};
  PlanOptions options;
  options.external = round_robin_schedule(mapping.tiles, device.sm_count);
  const Plan plan = make_plan(problem, config, device, options);
  return replay_l2(plan, device, ReplayDetail::Coarse).dram_read_bytes;
}

}  // namespace tilewright
