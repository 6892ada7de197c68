#include "model/mma_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "base/math.hpp"
#include "tile/mma_params.hpp"

namespace tilewright {
namespace {

constexpr double kMicroseconds = 1e6;
// mma.sync issues this share of Hopper's tensor peak; before Hopper it is the peak.
constexpr double kHopperIssue = 0.57;
// Warps that the tensor cores of a multiprocessor want: fewer leave latencies open.
constexpr double kWarpsWanted = 8;
// A copy of 8 or 4 bytes is another instruction for every part of 16; 2 bytes pass registers.
constexpr double kNarrowCopyCost = 0.06;
constexpr double kRegisterCopyCost = 0.35;
// A slice's sums go to L2 and come back; the turnstile's next slice waits.
constexpr double kTurnUs = 1.5;
constexpr double kSecondKernelUs = 3;
constexpr double kEpilogueClocks = 1500;
// Skinny, measured on an H200 over weights of 29 to 235 MB: reads alone reach this share of the
// copy bandwidth, once so many bytes are under way; a last wave that is not full costs a part of
// what it leaves empty; few warps, or one batch at a time, leave gaps.
constexpr double kMemoryShare = 1.02;
constexpr double kPipelineMemoryShare = 0.8;  // of the sm80 family, whose warps meet at every stage
constexpr double kFullRateSeconds = 1.4e-6;   // bytes under way over the bandwidth
constexpr double kWaveCost = 0.35;
constexpr double kWarpsWantedPerSm = 8;
constexpr double kWideLinesCost = 0.03;   // 32 lines a warp: half the CTAs to even out the end
constexpr double kSlicedWaveCost = 0.15;  // slices beyond one wave only add starts and ends
constexpr double kOneBatchCost = 0.2;
constexpr double kActivationCost = 0.04;  // for as many bytes of A from L2 as of B
constexpr double kArrivalUs = 1.5;

int resident_ctas(int threads, int registers, int smem_bytes, const DeviceSpec& d) {
  constexpr int kThreadsPerSm = 2048;
  constexpr int kCtaOverhead = 1024;
  const int by_smem = (d.smem_per_cta_bytes + kCtaOverhead) / (smem_bytes + kCtaOverhead);
  const int by_registers = d.registers_per_sm / (registers * threads);
  return std::max(1, std::min({by_smem, by_registers, kThreadsPerSm / threads}));
}

double copy_cost(int copy_bytes) {
  if (copy_bytes == 2) return kRegisterCopyCost;
  return copy_bytes == 16 ? 0 : kNarrowCopyCost * 8 / copy_bytes;
}

// Share of the device's tensor peak that the kernel's warps can issue.
double issue_share(const tw::Sm80Params& p, int ctas_per_sm, const DeviceSpec& d) {
  const double peak = d.compute_major >= 9 ? kHopperIssue : 0.85;
  const double warps = static_cast<double>(ctas_per_sm * p.threads()) / 32;
  const double latency = 1 - 0.5 * std::exp(-2 * warps / kWarpsWanted);
  // Operand bytes that ldmatrix reads a multiply-add: small warp tiles are bound by it.
  const double reads = 1.0 / p.warp_m() + 1.0 / p.warp_n();
  const double shared = 1 / (1 + 8 * std::max(0.0, reads - 1.0 / 32));
  const double copies = 1 + copy_cost(p.a_copy_bytes) + copy_cost(p.b_copy_bytes);
  const double ahead = 1 - 0.15 * std::exp(-(p.stages - 2) * p.cta_k / 64.0);
  return peak * latency * shared * ahead / copies;
}

double split_us(const Problem& problem, const TileConfig& config, int slices,
                const DeviceSpec& device) {
  if (slices == 1) return 0;
  const double bytes =
      4.0 * static_cast<double>(problem.shape.m) * static_cast<double>(problem.shape.n) * slices;
  const double traffic_us =
      2 * bytes / (device.l2_bytes_per_clock * device.sustained_clock_hz) * kMicroseconds;
  const bool second_kernel = reduction_of(config.decomposition) == Reduction::Workspace;
  return traffic_us + (second_kernel ? kSecondKernelUs : kTurnUs * (slices - 1));
}

}  // namespace

Estimate estimate_sm80(const Problem& problem, const TileConfig& config, const DeviceSpec& device,
                       const L2Traffic& traffic) {
  const tw::Sm80Params params = sm80_params(config, problem);
  const int slices = slice_count(config, problem.shape);
  const int registers = params.accumulator_registers() + 80;
  const int ctas_per_sm = resident_ctas(params.threads(), registers, params.smem_bytes(), device);
  const auto units = static_cast<double>(traffic.slots) * slices;
  const double full_waves = std::floor(units / (device.sm_count * ctas_per_sm));
  const double rest = units - full_waves * device.sm_count * ctas_per_sm;
  // The last CTAs spread over the multiprocessors: it lasts as long as the fullest of them.
  const double turns = full_waves * ctas_per_sm + std::ceil(rest / device.sm_count);
  const double busy_ctas = std::min<double>(ctas_per_sm, std::ceil(units / device.sm_count));
  const double flops_per_unit =
      2.0 * config.cta.m * config.cta.n * static_cast<double>(problem.shape.k) / slices;
  const double clocks = turns * flops_per_unit /
                        (device.tensor_flops_per_clock_per_sm *
                         issue_share(params, static_cast<int>(busy_ctas), device));
  Estimate e;
  e.dram_read_bytes = traffic.dram_read_bytes;
  e.dram_write_bytes = traffic.dram_write_bytes;
  e.l2_hit_rate = traffic.hit_rate;
  e.slots = traffic.slots;
  e.waves = static_cast<int64_t>(std::ceil(turns));
  e.wave_efficiency = units / (turns * device.sm_count);
  e.tensor_us = clocks / device.sustained_clock_hz * kMicroseconds;
  e.l2_us = traffic.l2_read_bytes / (device.l2_bytes_per_clock * device.sustained_clock_hz) *
            kMicroseconds;
  e.dram_us = (e.dram_read_bytes + e.dram_write_bytes) /
              (kPipelineMemoryShare * device.dram_bytes_per_s) * kMicroseconds;
  e.us = device.launch_us + std::max({e.tensor_us, e.l2_us, e.dram_us}) +
         kEpilogueClocks / device.sustained_clock_hz * kMicroseconds +
         split_us(problem, config, slices, device);
  return e;
}

Estimate estimate_skinny(const Problem& problem, const TileConfig& config,
                         const DeviceSpec& device) {
  const tw::SkinnyParams params = skinny_params(config, problem);
  const GemmShape& s = problem.shape;
  const int slices = slice_count(config, s);
  const int64_t tiles = ceil_div<int64_t>(s.n, config.cta.n);
  const int ctas_per_sm =
      resident_ctas(params.threads(), params.usual_registers(), params.smem_bytes(), device);
  const auto units = static_cast<double>(tiles * slices);
  const double slots = static_cast<double>(device.sm_count) * ctas_per_sm;
  const double at_once = std::min(units, slots);
  const double warp_bytes =
      static_cast<double>(config.cta.n) * static_cast<double>(s.k) * 2 / slices / params.k_warps;
  // A batch is under way until the warp waits for it.
  const double in_flight =
      at_once * params.k_warps *
      std::min(params.warp_bytes_in_flight() * (1 - 0.5 / params.stages), warp_bytes);
  const double full = kFullRateSeconds * device.dram_bytes_per_s;
  const double warps = at_once * params.k_warps / (kWarpsWantedPerSm * device.sm_count);
  const double rate = std::pow(std::min(1.0, warps), 0.4) * kMemoryShare * device.dram_bytes_per_s *
                      std::pow(std::min(1.0, in_flight / full), 0.8);
  Estimate e;
  e.dram_read_bytes = static_cast<double>(operand_bytes(problem));
  e.dram_write_bytes = static_cast<double>(s.m * s.n) * element_bytes(output_type(problem));
  e.slots = tiles;
  e.waves = static_cast<int64_t>(std::ceil(units / at_once));
  e.wave_efficiency = units / (static_cast<double>(e.waves) * at_once);
  e.dram_us = e.dram_read_bytes / rate * kMicroseconds;
  const double gaps = kWaveCost * (1 / e.wave_efficiency - 1) +
                      (params.line_tiles() > params.row_tiles() ? kWideLinesCost : 0) +
                      (slices > 1 ? kSlicedWaveCost * units / slots : 0) +
                      (params.stages == 1 ? kOneBatchCost : 0) +
                      kActivationCost * params.cta_m / params.cta_n;
  e.us = device.launch_us + e.dram_us * (1 + gaps) + (slices > 1 ? kArrivalUs : 0);
  return e;
}

}  // namespace tilewright
