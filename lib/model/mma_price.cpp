#include <algorithm>
#include <cmath>

#include "base/math.hpp"
#include "model/price.hpp"
#include "tile/workload/product_bytes.hpp"

namespace tilewright {
namespace {

// Copies of 8 or 4 bytes take more instructions than copies of 16; 2 bytes pass through registers.
double copy_cost(int copy_bytes, const MmaRates& rates) {
  if (copy_bytes == 2) return rates.register_copy_share;
  return copy_bytes == 16 ? 0 : rates.narrow_copy_share * 8 / copy_bytes;
}

// Share of the device's tensor peak that the kernel's warps can issue.
double issue_share(const tw::Sm80Params& p, int ctas_per_sm, const DeviceSpec& d) {
  const double warps = static_cast<double>(ctas_per_sm * p.threads()) / 32;
  const double latency = 1 - 0.5 * std::exp(-2 * warps / d.mma.warps_wanted);
  // Operand bytes that ldmatrix reads per multiply-add: they bound small warp tiles.
  const double reads = 1.0 / p.warp_m() + 1.0 / p.warp_n();
  const double shared = 1 / (1 + 8 * std::max(0.0, reads - 1.0 / 32));
  const double copies = 1 + copy_cost(p.a_copy_bytes, d.mma) + copy_cost(p.b_copy_bytes, d.mma);
  const double ahead = 1 - 0.15 * std::exp(-(p.stages - 2) * p.cta_k / 64.0);
  return d.mma.issue_share * latency * shared * ahead / copies;
}

double split_us(const Plan& plan, const DeviceSpec& device) {
  const int slices = plan.slices();
  if (slices == 1) return 0;
  const GemmShape& shape = plan.problems.front().shape;
  const double bytes = 4.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) * slices;
  const double traffic_us =
      2 * bytes / (device.l2_bytes_per_clock * device.sustained_clock_hz) * kMicroseconds;
  const bool second_kernel = tw::sums_later(plan.reduction);
  return traffic_us +
         (second_kernel ? device.mma.second_kernel_us : device.mma.sm80_turn_us * (slices - 1));
}

// Adds generations of CTAs. A full one takes as many `body_us` as a multiprocessor holds CTAs. Only
// the last epilogue counts: the next generation hides the others.
void add_generations(Price& price, double units, int ctas_per_sm, int sm_count, double body_us,
                     double epilogue_us) {
  const double at_once = static_cast<double>(sm_count) * ctas_per_sm;
  const double full = std::floor(units / at_once);
  const double rest = std::ceil((units - full * at_once) / sm_count);
  const double turns = full * ctas_per_sm + rest;
  if (turns == 0) return;
  const double full_us = body_us * ctas_per_sm / turns;
  const auto before = static_cast<int64_t>(rest > 0 ? full : full - 1);
  if (before > 0) add_round(price, {full_us, 0, before});
  add_round(price, {rest > 0 ? body_us * rest / turns : full_us, epilogue_us, 1});
}

double cube(double x) {
  return x * x * x;
}

}  // namespace

void price_sm80(Price& price, const Plan& plan, const L2Traffic& traffic) {
  const DeviceSpec& device = *price.device;
  const TileConfig& config = plan.config;
  const GemmShape& shape = plan.problems.front().shape;
  const auto& params = std::get<tw::Sm80Params>(plan.kernel);
  const int slices = plan.slices();
  const int at_once = plan.ctas_per_sm;
  price.launch_us = start_us(traffic.slots * slices, device);
  const auto units = static_cast<double>(traffic.slots) * slices;
  const double full_waves = std::floor(units / (device.sm_count * at_once));
  const double rest = units - full_waves * device.sm_count * at_once;
  // The last CTAs spread over the multiprocessors; the fullest one determines their time.
  const double turns = full_waves * at_once + std::ceil(rest / device.sm_count);
  const double busy_ctas = std::min<double>(at_once, std::ceil(units / device.sm_count));
  const double flops_per_unit =
      2.0 * config.cta.m * config.cta.n * static_cast<double>(shape.k) / slices;
  const double clocks = turns * flops_per_unit /
                        (device.tensor_flops_per_clock_per_sm *
                         issue_share(params, static_cast<int>(busy_ctas), device));
  Estimate& e = price.totals;
  e.waves = static_cast<int64_t>(std::ceil(turns));
  e.wave_efficiency = units / (turns * device.sm_count);
  e.tensor_us = clocks / device.sustained_clock_hz * kMicroseconds;
  e.l2_us = traffic.l2_read_bytes / (device.l2_bytes_per_clock * device.sustained_clock_hz) *
            kMicroseconds;
  e.dram_us = (e.dram_read_bytes + e.dram_write_bytes) /
              (device.mma.memory_share * device.dram_bytes_per_s) * kMicroseconds;
  const double stored_us =
      e.dram_write_bytes /
      (device.mma.store_bytes_per_clock * device.sm_count * device.sustained_clock_hz) *
      kMicroseconds;
  // A CTA waits for a stage while stages - 1 others are in flight.
  const double steps = static_cast<double>(shape.k) / config.cta.k / slices;
  const double awaited_us = steps * device.mma.latency_us / (config.stages - 1);
  // A multiprocessor's CTAs share its units.
  const double epilogue =
      device.mma.epilogue_clocks +
      operation_clocks(params.epilogue, config.cta.m, busy_ctas * config.cta.n, device);
  add_generations(price, units, at_once, device.sm_count,
                  std::max({e.tensor_us, e.l2_us, e.dram_us, stored_us, awaited_us}),
                  epilogue / device.sustained_clock_hz * kMicroseconds);
  price.tail_us = split_us(plan, device);
}

void price_skinny(Price& price, const Plan& plan, const L2Traffic&) {
  const DeviceSpec& device = *price.device;
  const SkinnyRates& rates = device.skinny;
  const TileConfig& config = plan.config;
  const auto& params = std::get<tw::SkinnyParams>(plan.kernel);
  const GemmShape& s = plan.problems.front().shape;
  const int slices = plan.slices();
  const auto units = static_cast<double>(plan.units);
  const double at_once = std::min(units, static_cast<double>(device.sm_count) * plan.ctas_per_sm);
  Estimate& e = price.totals;
  e = {};  // every byte passes once: no replay
  const ProductBytes bytes = product_bytes(plan.workload, 0);
  e.dram_read_bytes = bytes.operands + bytes.addends;
  e.dram_write_bytes = bytes.output;
  const double streamed = e.dram_read_bytes + e.dram_write_bytes;
  e.slots = plan.units / slices;
  e.waves = static_cast<int64_t>(std::ceil(units / at_once));
  e.wave_efficiency = units / (static_cast<double>(e.waves) * at_once);
  e.dram_us = streamed / (rates.memory_share * device.dram_bytes_per_s) * kMicroseconds;
  const bool crosses = 2 * s.k % kL2LineBytes != 0;
  const double gaps = (crosses ? rates.misaligned_line_share : 0) +
                      rates.more_rows_share * (params.row_tiles() - 1);
  const double streamed_us = e.dram_us * (1 + gaps);
  // By Little's law. A batch is in flight until the warp waits for it.
  const double warp_bytes =
      static_cast<double>(config.cta.n) * static_cast<double>(s.k) * 2 / slices / params.k_warps;
  const double in_flight =
      at_once * params.k_warps *
      std::min(params.warp_bytes_in_flight() * (1 - 0.5 / params.stages), warp_bytes);
  const double awaited_us =
      streamed / in_flight * rates.latency_us + rates.wave_us * static_cast<double>(e.waves - 1);
  const double on_one = std::ceil(at_once / device.sm_count);
  // Into one multiprocessor: its columns of B, and A again for each of its CTAs.
  const double loaded_bytes = on_one * static_cast<double>(e.waves) * 2 *
                              (config.cta.n + config.cta.m) * static_cast<double>(s.k) / slices;
  const double loaded_us =
      loaded_bytes / rates.cta_bytes_per_us * (1 + (crosses ? rates.cta_crossing_share : 0));
  // Where limits are near, requests arrive unevenly and the times add in part.
  const double body_us = std::cbrt(cube(streamed_us) + cube(awaited_us) + cube(loaded_us));
  const double epilogue =
      operation_clocks(params.epilogue, config.cta.m, on_one * config.cta.n, device);
  price.launch_us = start_us(plan.units, device) + rates.start_us;
  add_round(price, {body_us / static_cast<double>(e.waves),
                    epilogue / device.sustained_clock_hz * kMicroseconds, e.waves});
  if (slices > 1) price.tail_us = rates.arrival_us;
}

}  // namespace tilewright
