#include "model/divided_estimate.hpp"

#include <algorithm>

#include "base/math.hpp"
#include "model/fix_up.hpp"
#include "tile/work_plan.hpp"

namespace tilewright {
namespace {

struct Shares {
  int64_t workers = 0;  // clusters at work
  int64_t steps = 0;    // of the busiest, in k-steps
  int64_t tiles = 0;    // whose epilogue it runs, at most
};

Shares shares_of(const Problem& problem, const TileConfig& config, const DeviceSpec& device) {
  const int64_t resident = resident_clusters(device, launch_cluster_size(config));
  Shares shares;
  shares.workers = worker_count(problem.shape, config, resident);
  const tw::WorkPlan plan = work_plan(problem.shape, config, shares.workers);
  if (std::holds_alternative<StreamK>(config.decomposition)) {
    shares.tiles = ceil_div<int64_t>(plan.slots, shares.workers);
    shares.steps = ceil_div(int64_t{plan.streamed} * plan.k_steps, shares.workers) +
                   int64_t{plan.k_steps} * ((plan.slots - plan.streamed) / shares.workers);
  } else {
    const bool together = reduction_of(config.decomposition) == Reduction::Cluster;
    const int64_t units = int64_t{plan.slots} * (together ? 1 : plan.slices);
    shares.tiles = ceil_div(units, shares.workers);
    shares.steps = shares.tiles * ceil_div(plan.k_steps, plan.slices);
  }
  return shares;
}

// Parts of one tile that wait for each other.
double parts_of(const Problem& problem, const TileConfig& config, const DeviceSpec& device) {
  if (const auto* const split = std::get_if<SplitK>(&config.decomposition)) return split->slices;
  const Shares shares = shares_of(problem, config, device);
  const tw::WorkPlan plan = work_plan(problem.shape, config, shares.workers);
  if (plan.streamed == 0) return 1;
  return std::max(2.0, static_cast<double>(shares.workers) / plan.streamed);
}

}  // namespace

double join_us(const Problem& problem, const TileConfig& config, const DeviceSpec& device) {
  const double parts = parts_of(problem, config, device);
  if (parts <= 1) return 0;
  const JoinRates& rates = device.join;
  const double tile_bytes = partial_tile_bytes(config.cta);
  const double move_us = tile_bytes / rates.part_bytes_per_us;
  const TileCoord tiles = tile_grid(kernel_shape(problem.shape, config), config.cta);
  const double all_bytes = parts * tile_bytes * tiles.m * tiles.n;
  switch (reduction_of(config.decomposition)) {
    case Reduction::Serial:
    case Reduction::SerialTma: return (parts - 1) * (rates.sm90_turn_us + move_us) + move_us;
    case Reduction::InPlace: return (parts - 1) * (rates.sm90_turn_us + move_us / 2);
    case Reduction::AtomicTma:
    case Reduction::Atomic: return rates.meet_us + all_bytes / rates.atomic_bytes_per_us + move_us;
    case Reduction::Workspace:
      return rates.second_kernel_us + 2 * all_bytes / rates.workspace_bytes_per_us;
    case Reduction::ReduceScatter:
      return rates.share_us + 2 * all_bytes / rates.workspace_bytes_per_us;
    case Reduction::Cluster:
      return rates.cluster_meet_us + tile_bytes * (parts - 1) / parts / rates.cluster_bytes_per_us;
  }
  return 0;
}

Estimate estimate_divided(const Problem& problem, const TileConfig& config,
                          const DeviceSpec& device, const L2Traffic& traffic) {
  Estimate e;
  e.dram_read_bytes = traffic.dram_read_bytes;
  e.dram_write_bytes = traffic.dram_write_bytes;
  e.l2_hit_rate = traffic.hit_rate;
  e.slots = traffic.slots;
  const Shares shares = shares_of(problem, config, device);
  const TileCoord tiles = tile_grid(kernel_shape(problem.shape, config), config.cta);
  const double all_steps = static_cast<double>(tiles.m) * tiles.n *
                           static_cast<double>(ceil_div<int64_t>(problem.shape.k, config.cta.k));
  const int64_t active = shares.workers * launch_cluster_size(config);
  const double streamed =
      traffic.dram_read_bytes + traffic.dram_write_bytes +
      device.memory.repeat_share * (traffic.l2_read_bytes - traffic.dram_read_bytes);
  const StepLoad load{traffic.l2_read_bytes / all_steps, streamed / all_steps, active,
                      copies_of(problem, config, device, traffic)};
  const auto steps = static_cast<double>(shares.steps);
  const bool streams = std::holds_alternative<StreamK>(config.decomposition);
  e.tensor_us = steps * k_step_us(config, device, {0, 0, active, load.copies});
  e.l2_us =
      steps * k_step_us(config, device, {load.l2_bytes, 0, active, load.copies}) - e.tensor_us;
  e.dram_us = steps * load.dram_bytes * static_cast<double>(active) / device.dram_bytes_per_s * 1e6;
  e.us =
      launch_us(config, device) +
      steps * k_step_us(config, device, load) * (streams ? 1 + device.join.stream_skew_share : 1) +
      static_cast<double>(shares.tiles) * epilogue_us(config, device, active) +
      join_us(problem, config, device);
  e.waves = shares.tiles;
  e.wave_efficiency = all_steps / (steps * static_cast<double>(active));
  return e;
}

}  // namespace tilewright
