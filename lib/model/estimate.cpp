#include "model/estimate.hpp"

#include <algorithm>
#include <cmath>

#include "base/math.hpp"
#include "model/divided_estimate.hpp"
#include "model/mma_estimate.hpp"
#include "tile/work_plan.hpp"

namespace tilewright {
namespace {

constexpr double kMicroseconds = 1e6;

// A device of which only a share is busy clocks higher: power is what limits it.
double clock_hz(const DeviceSpec& device, double active) {
  const double busy = std::clamp(active / device.sm_count, 1e-3, 1.0);
  return device.sustained_clock_hz *
         std::min(device.clock.most_gain, std::pow(1 / busy, device.clock.idle_exponent));
}

// Where L2 is the limit it runs on its own clock, which no power limit slows.
double l2_us(const DeviceSpec& device, double bytes) {
  return bytes / (device.l2_bytes_per_clock * device.sustained_clock_hz) * kMicroseconds;
}

// DRAM traffic under the arithmetic draws power that the tensor cores' clock then lacks.
double together(const DeviceSpec& device, double tensor, double l2, double dram) {
  return overlapped(tensor, l2, dram) + device.clock.dram_power_share * std::min(dram, tensor);
}

// The copies of operands that TMA cannot address, by a kernel of their own.
double repack_us(const Problem& p, const DeviceSpec& device) {
  constexpr double kReadAndWritten = 2;
  const Repacked repacked = repacked_operands(p);
  if (repacked == Repacked{}) return 0;
  const double lines = (repacked.a ? static_cast<double>(p.shape.m) : 0) +
                       (repacked.b ? static_cast<double>(p.shape.n) : 0);
  const double bytes =
      kReadAndWritten * lines * static_cast<double>(p.shape.k) * element_bytes(p.dtype);
  return device.launch_us +
         bytes / (device.memory.repack_share * device.dram_bytes_per_s) * kMicroseconds;
}

// Between L2 and the groups of multiprocessors: those of a group that want the same lines at the
// same time ask L2 once, every so often.
double moved_bytes(const WaveTraffic& wave, const TileConfig& config, const DeviceSpec& device) {
  const double merged = device.l2.merged_share;
  return (1 - merged) * wave.l2_read_bytes * multicast_overhead(config, device) +
         merged * wave.distinct_bytes;
}

}  // namespace

StageCopies copies_of(const Problem& problem, const TileConfig& config, const DeviceSpec& device,
                      const L2Traffic& traffic) {
  const double missed = traffic.l2_read_bytes > 0
                            ? std::min(1.0, traffic.dram_read_bytes / traffic.l2_read_bytes)
                            : 0;
  return {straddle_clocks(problem, config, device), missed};
}

double launch_us(const TileConfig& config, const DeviceSpec& device) {
  // The first loads leave before any division; clusters meet behind those loads.
  return device.launch_us - device.launch.first_load_sooner_us +
         (launch_cluster_size(config) > 1 ? device.launch.cluster_us : 0);
}

Estimate estimate(const Problem& problem, const TileConfig& config, const DeviceSpec& device) {
  return estimate(problem, config, device, replay_l2(problem, config, device));
}

Estimate estimate(const Problem& problem, const TileConfig& config, const DeviceSpec& device,
                  const L2Traffic& traffic) {
  if (config.family == Family::Sm80) return estimate_sm80(problem, config, device, traffic);
  if (config.family == Family::Skinny) return estimate_skinny(problem, config, device);
  if (!std::holds_alternative<DataParallel>(config.decomposition)) {
    return estimate_divided(problem, config, device, traffic);
  }
  Estimate e;
  e.dram_read_bytes = traffic.dram_read_bytes;
  e.dram_write_bytes = traffic.dram_write_bytes;
  e.l2_hit_rate = traffic.hit_rate;
  e.slots = traffic.slots;
  e.waves = ceil_div(traffic.slots, traffic.ctas);
  const double tile_clocks =
      stage_clocks(config, device, copies_of(problem, config, device, traffic)) *
      static_cast<double>(problem.shape.k) / config.cta.k;
  const double around = raster_clocks(config.raster);
  int64_t tiles = 0;
  for (const WaveTraffic& wave : traffic.waves) tiles += wave.tiles;
  const double write_bytes_per_tile = traffic.dram_write_bytes / static_cast<double>(tiles);
  e.us = launch_us(config, device) + repack_us(problem, device);
  for (const WaveTraffic& wave : traffic.waves) {
    const auto at_work = static_cast<double>(wave.tiles);
    const double clock = clock_hz(device, at_work) / kMicroseconds;
    const double tensor = tile_clocks / clock;
    const double l2 = l2_us(device, moved_bytes(wave, config, device));
    const double dram = (wave.dram_read_bytes + write_bytes_per_tile * at_work) /
                        device.dram_bytes_per_s * kMicroseconds;
    e.tensor_us += tensor;
    e.l2_us += l2;
    e.dram_us += dram;
    const bool last = &wave == &traffic.waves.back();
    e.us += together(device, tensor, l2, dram) +
            (exposed_epilogue_clocks(config, last) + around) / clock;
  }
  e.wave_efficiency = static_cast<double>(tiles) / static_cast<double>(e.waves * traffic.ctas);
  return e;
}

double k_step_us(const TileConfig& config, const DeviceSpec& device, const StepLoad& load) {
  const auto active = static_cast<double>(load.active);
  const double tensor =
      stage_clocks(config, device, load.copies) / clock_hz(device, active) * kMicroseconds;
  const double dram = load.dram_bytes * active / device.dram_bytes_per_s * kMicroseconds;
  return together(device, tensor, l2_us(device, load.l2_bytes * active), dram);
}

StepLoad step_load(const Problem& problem, const TileConfig& config, const DeviceSpec& device) {
  const L2Traffic traffic = replay_l2(problem, config, device);
  const TileCoord tiles = tile_grid(kernel_shape(problem.shape, config), config.cta);
  const double steps = static_cast<double>(tiles.m) * tiles.n *
                       std::max(1.0, static_cast<double>(problem.shape.k) / config.cta.k);
  double moved = 0;
  for (const WaveTraffic& wave : traffic.waves) moved += moved_bytes(wave, config, device);
  return {moved / steps, (traffic.dram_read_bytes + traffic.dram_write_bytes) / steps, 0,
          copies_of(problem, config, device, traffic)};
}

double epilogue_us(const TileConfig& config, const DeviceSpec& device, int64_t active) {
  return epilogue_clocks(config) / clock_hz(device, static_cast<double>(active)) * kMicroseconds;
}

}  // namespace tilewright
