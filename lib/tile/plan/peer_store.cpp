#include "tile/plan/peer_store.hpp"

#include <algorithm>

#include "base/math.hpp"
#include "map/work_split.cuh"

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

tw::Span<int64_t> bytes_of_row_part(const Plan& plan, int part) {
  const auto steps =
      tw::even_share(plan.problems.front().work.k_steps, plan.config.peers.k_chunks, part);
  const int64_t k = plan.product.shape.k;
  const int bytes = bytes_of(plan.workload.kind.dtype);
  const auto at = [&](int64_t step) { return std::min(step * plan.config.cta.k, k) * bytes; };
  return {at(steps.begin), at(steps.end)};
}

int64_t bytes_of_sent(const Plan& plan, int part) {
  const int64_t row = plan.product.shape.k * bytes_of(plan.workload.kind.dtype);
  const int64_t rows = bytes_of_rows(plan) / row / plan.config.peers.chunks;
  return rows * bytes_of_row_part(plan, part).size();
}

PeerStore peer_store(const Plan& plan) {
  if (!is_across_gpus(plan.workload)) return {};
  const int64_t gpus = plan.workload.parallel.gpus;
  if (gathers_rows(plan.workload.parallel)) {
    const PeerOptions& keys = plan.config.peers;
    return {.flags = gpus * keys.chunks * keys.k_chunks, .data_bytes = gpus * bytes_of_rows(plan)};
  }
  constexpr int kWarpgroup = 4;
  const TileCoord tiles = launched_tiles(plan);
  const int64_t parts = tiles.m / gpus * tiles.n * (gpus - 1);
  const TileWarps warps = record_of(plan.config.family).warps(plan.kernel);
  return {.flags = parts * warps.count / kWarpgroup, .data_bytes = parts * bytes_of_part(plan)};
}

}  // namespace tilewright
