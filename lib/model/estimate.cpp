#include "model/estimate.hpp"

#include <algorithm>
#include <cmath>

#include "model/mma_estimate.hpp"

namespace tilewright {
namespace {

// Shared memory moves 128 bytes a clock for the tensor core's operand reads and the copies'
// writes together; what a tile wants beyond that costs, softened because real issue rates leave
// room.
constexpr double kSharedBytesPerClock = 128;
constexpr double kSharedPressureCost = 0.08;
// Clocks that a stage needs from its copy's issue to its data, and the loss with no stage ahead.
constexpr double kLoadLatencyClocks = 1200;
constexpr double kLoadLatencyCost = 0.1;
// The consumers convert and stage their accumulators before the next tile's first MMA.
constexpr double kEpilogueClocks = 400;
constexpr double kEpilogueBytesPerClock = 64;
// Ping-pong's warpgroups hand the tensor cores over between tiles.
constexpr double kHandOverClocks = 100;
// A device of which only a share f is busy clocks higher: power is what limits it.
constexpr double kIdleClockExponent = 0.3;
constexpr double kMostClockGain = 1.2;
// Times that overlap combine by this norm: near the maximum, a little more when they are close.
constexpr double kOverlapNorm = 8;
// DRAM traffic under the arithmetic draws power that the tensor cores' clock then lacks: of its own
// duration, this share. Measured: 1.5 GB less traffic made 5120x27648x5120 54 us faster.
constexpr double kDramPowerCost = 0.12;
// The CTAs of a cluster meet before the first load and before they leave. Measured: 2048x2048x128
// takes 6.1 us alone and 7.7 us in pairs, 2048x2048x8192 1.3 us more in pairs.
constexpr double kClusterUs = 1.3;
constexpr double kMicroseconds = 1e6;

double mma_clocks(const TileConfig& c, int64_t k, const DeviceSpec& d) {
  return 2.0 * c.cta.m * c.cta.n * static_cast<double>(k) / d.tensor_flops_per_clock_per_sm;
}

// Share of the tensor peak that a tile shape can issue; 0 to 1.
double issue_efficiency(const TileConfig& c, const DeviceSpec& d) {
  const tw::TileParams params = kernel_params(c, {});
  const double stage_clocks = mma_clocks(c, c.cta.k, d);
  const double a_read = params.a_stage_bytes();  // each row is read by one warpgroup
  const double b_read = static_cast<double>(params.b_stage_bytes()) * c.cta.m / params.kMmaM;
  const double bytes_per_clock = (a_read + b_read + params.stage_bytes()) / stage_clocks;
  const double pressure = std::max(0.0, bytes_per_clock / kSharedBytesPerClock - 1);
  const double ahead = (c.stages - 1) * stage_clocks / kLoadLatencyClocks;
  const double single_warpgroup = params.consumer_warpgroups() == 1 ? 0.95 : 1.0;
  return single_warpgroup * (1 - kLoadLatencyCost * std::exp(-ahead)) /
         (1 + kSharedPressureCost * pressure);
}

double epilogue_clocks(const TileConfig& c) {
  return kEpilogueClocks + 2.0 * c.cta.m * c.cta.n / kEpilogueBytesPerClock;
}

// Of an epilogue: in ping-pong the other warpgroup's main loop runs meanwhile, but for the last
// wave.
double exposed_epilogue_clocks(const TileConfig& c, bool last_wave) {
  const bool hidden = c.schedule == KernelSchedule::PingPong && !last_wave;
  return hidden ? kHandOverClocks : epilogue_clocks(c);
}

double overlapped(double a, double b, double c) {
  const double most = std::max({a, b, c});
  if (most <= 0) return 0;
  const auto part = [most](double t) { return std::pow(t / most, kOverlapNorm); };
  return most * std::pow(part(a) + part(b) + part(c), 1 / kOverlapNorm);
}

}  // namespace

Estimate estimate(const Problem& problem, const TileConfig& config, const DeviceSpec& device) {
  return estimate(problem, config, device, replay_l2(problem, config, device));
}

Estimate estimate(const Problem& problem, const TileConfig& config, const DeviceSpec& device,
                  const L2Traffic& traffic) {
  if (config.family == Family::Sm80) return estimate_sm80(problem, config, device, traffic);
  if (config.family == Family::Skinny) return estimate_skinny(problem, config, device);
  Estimate e;
  e.dram_read_bytes = traffic.dram_read_bytes;
  e.dram_write_bytes = traffic.dram_write_bytes;
  e.l2_hit_rate = traffic.hit_rate;
  e.slots = traffic.slots;
  e.waves = static_cast<int64_t>(traffic.waves.size());
  const double tile_clocks =
      mma_clocks(config, problem.shape.k, device) / issue_efficiency(config, device);
  int64_t tiles = 0;
  for (const WaveTraffic& wave : traffic.waves) tiles += wave.tiles;
  const double write_bytes_per_tile = traffic.dram_write_bytes / static_cast<double>(tiles);
  e.us = device.launch_us + (config.cluster == ClusterShape{} ? 0 : kClusterUs);
  for (const WaveTraffic& wave : traffic.waves) {
    if (wave.tiles == 0) continue;
    const double busy = std::min(1.0, static_cast<double>(wave.tiles) / device.sm_count);
    const double gain = std::min(kMostClockGain, std::pow(1 / busy, kIdleClockExponent));
    const double clock_hz = device.sustained_clock_hz * gain;
    const double tensor_us = tile_clocks / clock_hz * kMicroseconds;
    const double l2_us =
        wave.l2_read_bytes / (device.l2_bytes_per_clock * clock_hz) * kMicroseconds;
    const double dram_bytes =
        wave.dram_read_bytes + write_bytes_per_tile * static_cast<double>(wave.tiles);
    const double dram_us = dram_bytes / device.dram_bytes_per_s * kMicroseconds;
    e.tensor_us += tensor_us;
    e.l2_us += l2_us;
    e.dram_us += dram_us;
    e.us +=
        overlapped(tensor_us, l2_us, dram_us) + kDramPowerCost * std::min(dram_us, tensor_us) +
        exposed_epilogue_clocks(config, &wave == &traffic.waves.back()) / clock_hz * kMicroseconds;
  }
  e.wave_efficiency = static_cast<double>(tiles) / static_cast<double>(e.waves * traffic.ctas);
  return e;
}

namespace {

double clock_hz(const DeviceSpec& device, int64_t active) {
  const double busy =
      std::clamp(static_cast<double>(active) / static_cast<double>(device.sm_count), 1e-3, 1.0);
  return device.sustained_clock_hz *
         std::min(kMostClockGain, std::pow(1 / busy, kIdleClockExponent));
}

}  // namespace

double k_step_us(const TileConfig& config, const DeviceSpec& device, const StepLoad& load) {
  const double clock = clock_hz(device, load.active);
  const auto active = static_cast<double>(load.active);
  const double tensor_us = mma_clocks(config, config.cta.k, device) /
                           issue_efficiency(config, device) / clock * kMicroseconds;
  const double l2_us = load.l2_bytes * active / (device.l2_bytes_per_clock * clock) * kMicroseconds;
  const double dram_us = load.dram_bytes * active / device.dram_bytes_per_s * kMicroseconds;
  return overlapped(tensor_us, l2_us, dram_us) + kDramPowerCost * std::min(dram_us, tensor_us);
}

double epilogue_us(const TileConfig& config, const DeviceSpec& device, int64_t active) {
  return epilogue_clocks(config) / clock_hz(device, active) * kMicroseconds;
}

}  // namespace tilewright
