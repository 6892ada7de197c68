#include "tile/plan/peer_store.hpp"

#include "base/math.hpp"

namespace tilewright {

int64_t PeerStore::data_at() const {
  constexpr int64_t kAlignment = 256;
  return round_up(flags * int64_t{sizeof(unsigned)}, kAlignment);
}

int64_t bytes_of_part(const Plan& plan) {
  return int64_t{plan.config.cta.m} * plan.config.cta.n * bytes_of(plan.config.peers.parts);
}

int64_t bytes_of_rows(const Plan& plan) {
  const GemmShape& share = plan.product.shape;
  return share.m / plan.workload.parallel.gpus * share.k * bytes_of(plan.workload.kind.dtype);
}

PeerStore peer_store(const Plan& plan) {
  if (!is_across_gpus(plan.workload)) return {};
  const int64_t gpus = plan.workload.parallel.gpus;
  if (plan.workload.parallel.collective == Collective::AllGather) {
    return {.flags = gpus * plan.config.peers.chunks, .data_bytes = gpus * bytes_of_rows(plan)};
  }
  constexpr int kWarpgroup = 4;
  const TileCoord tiles = launched_tiles(plan);
  const int64_t parts = tiles.m / gpus * tiles.n * (gpus - 1);
  const TileWarps warps = record_of(plan.config.family).warps(plan.kernel);
  return {.flags = parts * warps.count / kWarpgroup, .data_bytes = parts * bytes_of_part(plan)};
}

}  // namespace tilewright
