#include "model/wave_bound.hpp"

#include <algorithm>

#include "base/math.hpp"
#include "model/fixup.hpp"
#include "model/tile_cost.hpp"

namespace tilewright {
namespace {

// CTAs that share the busiest multiprocessor.
int64_t sharers(const Plan& plan, const DeviceSpec& device) {
  return sharers_of(std::min(plan.launched_workers * plan.cluster_size, plan.resident), device);
}

// Operand bytes that all CTAs ask of L2; a cluster loads what it shares once.
double asked_bytes(const Plan& plan) {
  double steps = 0;
  for (const PlannedProblem& p : plan.problems) {
    steps += static_cast<double>(p.work.slots) * p.work.k_steps;
  }
  return steps * static_cast<double>(plan.cluster_size) * rows_of_stage(plan).once *
         plan.config.cta.k * bytes_of(plan.workload.kind.dtype);
}

// Each part writes its sums once, and another reads them.
double partial_bytes(const Plan& plan) {
  return 2 * static_cast<double>(part_count(plan)) * partial_tile_bytes(plan.config.cta);
}

}  // namespace

double wave_bound_us(const Plan& plan, const DeviceSpec& device, double k_steps,
                     double dram_bytes) {
  const TileShape& cta = plan.config.cta;
  const double step_clocks = 2.0 * cta.m * cta.n * cta.k *
                             static_cast<double>(sharers(plan, device)) /
                             tensor_flops_per_clock(device, plan.workload.kind.dtype);
  const double l2_bytes_per_s = device.l2_bytes_per_clock * device.sustained_clock_hz;
  const double main_s =
      std::max({k_steps * step_clocks / device.sustained_clock_hz,
                asked_bytes(plan) / l2_bytes_per_s, dram_bytes / device.dram_bytes_per_s});
  return (main_s + partial_bytes(plan) / l2_bytes_per_s) * kMicroseconds;
}

}  // namespace tilewright
