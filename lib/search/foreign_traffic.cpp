#include "search/foreign_traffic.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "base/math.hpp"
#include "model/l2_replay.hpp"
#include "tile/family/rules.hpp"
#include "tile/plan/external_schedule.hpp"
#include "tile/plan/grid_proof.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/product_bytes.hpp"

namespace tilewright {
namespace {

int64_t tiles_of_one_multiprocessor(const ForeignMapping& mapping, const DeviceSpec& device) {
  const auto tiles = std::count_if(mapping.tiles.begin(), mapping.tiles.end(),
                                   [](TileCoord tile) { return tile.m >= 0; });
  return ceil_div<int64_t>(tiles, device.sm_count);
}

}  // namespace

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
  return replay_l2(plan, device, ReplayDetail::Coarse).dram_read_bytes +
         product_bytes(plan.workload, 0).addends;
}

int64_t resident_shared_bytes(const ForeignMapping& mapping, const DeviceSpec& device) {
  const CtaNeeds& cta = mapping.cta;
  if (cta.threads <= 0 || cta.registers <= 0 || device.sm_count <= 0) return 0;
  constexpr int kMaxRegisters = 1 << 10;        // of a thread; none has as many
  constexpr int64_t kMaxSharedBytes = 1 << 20;  // nor a multiprocessor as much
  const int64_t bytes = std::min(cta.shared_bytes, kMaxSharedBytes);
  const int ctas = resident_ctas(cta.threads, std::min(cta.registers, kMaxRegisters),
                                 static_cast<int>(bytes), device);
  return bytes * std::min<int64_t>(ctas, tiles_of_one_multiprocessor(mapping, device));
}

std::optional<double> foreseen_least_us(const ForeignMapping& mapping, const Problem& problem,
                                        const DeviceSpec& device) {
  const std::optional<double> read_bytes = foreseen_read_bytes(mapping, problem, device);
  const double clock_hz = device.sustained_clock_hz;
  const double flops_per_clock = tensor_flops_per_clock(device, problem.kind.dtype);
  const bool has_rates = clock_hz > 0 && flops_per_clock > 0 && device.dram_bytes_per_s > 0 &&
                         device.l2_bytes_per_clock > 0;
  if (!read_bytes || !has_rates) return std::nullopt;
  const auto tile_m = static_cast<double>(mapping.tile_m);
  const auto tile_n = static_cast<double>(mapping.tile_n);
  const auto k = static_cast<double>(problem.shape.k);
  const double operand_bytes = (tile_m + tile_n) * k * bytes_of(problem.kind.dtype);
  double clocks_of_tile = std::max(2 * tile_m * tile_n * k / flops_per_clock,
                                   operand_bytes * device.sm_count / device.l2_bytes_per_clock);
  if (const int64_t resident = resident_shared_bytes(mapping, device); resident > 0) {
    clocks_of_tile = std::max(
        clocks_of_tile, operand_bytes * device.tile.hit_clocks / static_cast<double>(resident));
  }
  const auto tiles_of_one = static_cast<double>(tiles_of_one_multiprocessor(mapping, device));
  return 1e6 *
         std::max(tiles_of_one * clocks_of_tile / clock_hz, *read_bytes / device.dram_bytes_per_s);
}

}  // namespace tilewright
