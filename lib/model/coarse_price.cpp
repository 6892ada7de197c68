#include "model/coarse_price.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "base/math.hpp"
#include "model/fixup.hpp"
#include "model/price.hpp"
#include "model/tile_cost.hpp"
#include "model/triangle_search.hpp"
#include "model/wave_bound.hpp"
#include "tile/workload/product_bytes.hpp"

namespace tilewright {
namespace {

int64_t most_parts(const Plan& plan) {
  int64_t parts = 1;
  for (const PlannedProblem& p : plan.problems) parts = std::max<int64_t>(parts, p.work.slices);
  return parts;
}

// K-steps of the busiest worker where the longest units are dealt first: at least the mean of all,
// and, because one of so many units comes after `rounds` - 1 others that are no shorter, `rounds`
// times a unit of every length.
double busiest_steps(const Plan& plan, double all_steps) {
  std::map<int64_t, int64_t, std::greater<>> units_of;  // by k-steps of a unit
  for (const PlannedProblem& p : plan.problems) {
    if (p.work.slots > 0)
      units_of[ceil_div<int64_t>(p.work.k_steps, p.work.slices)] += p.work.units();
  }
  double busiest = all_steps / static_cast<double>(plan.workers);
  int64_t units = 0;
  for (const auto& [steps, count] : units_of) {
    units += count;
    const int64_t rounds = ceil_div(units, plan.workers);
    busiest = std::max(busiest, static_cast<double>(rounds * steps));
  }
  return busiest;
}

// Cost of the last part of one tile of the deepest product; a whole tile only finishes itself.
FixupCost last_part_cost(const Plan& plan, const DeviceSpec& device, int64_t parts) {
  if (parts == 1) return {.stores = true, .finished = 1};
  return fixup_cost(
      plan.reduction, plan.config.cta, device.join,
      {.first = false, .last = true, .parts = parts, .active = plan.workers * plan.cluster_size});
}

// Time to join the parts of that tile.
double fixup_cost_us(const Plan& plan, const FixupCost& last, int64_t parts) {
  const bool is_turnstile = tw::wait_mode_of(plan.reduction) == tw::WaitMode::Previous;
  return last.before_us + last.after_us * static_cast<double>(is_turnstile ? parts - 1 : 1);
}

}  // namespace

double coarse_us(const Plan& plan, const DeviceSpec& device) {
  const TileConfig& c = plan.config;
  double steps = 0;  // of all tiles
  for (const PlannedProblem& p : plan.problems) {
    steps += static_cast<double>(p.work.slots) * p.work.k_steps;
  }
  const auto rounds = static_cast<double>(ceil_div(plan.units, plan.workers));
  const double busiest = is_group(plan.workload)
                             ? busiest_steps(plan, steps)
                             : std::max(rounds * steps / static_cast<double>(plan.units),
                                        static_cast<double>(longest_part(plan)));
  const double operands = operand_bytes(plan.workload);
  if (!predicts_time(device)) {
    const auto turns =
        static_cast<double>(ceil_div(plan.workers * plan.cluster_size, plan.resident));
    return wave_bound_us(plan, device, busiest * turns, operands);
  }
  const StageRows rows = rows_of_stage(plan);
  const double asked = steps * static_cast<double>(plan.cluster_size) * rows.once * c.cta.k *
                       bytes_of(plan.workload.kind.dtype);
  const TileKernel kernel = sm90_constants(plan);
  const double merged = device.l2.merged_share;
  const double moved = (1 - merged) * asked * multicast_overhead(plan, device) + merged * operands;
  const auto us = [&device](double clocks) {
    return clocks / device.sustained_clock_hz * kMicroseconds;
  };
  const StageCopies copies = {.misaligned_rows = rows.misaligned,
                              .missed = std::min(1.0, operands / asked)};
  // The last round may leave places free, so that fewer CTAs share a multiprocessor.
  const int64_t last = plan.units - (ceil_div(plan.units, plan.workers) - 1) * plan.workers;
  const auto clocks_of = [&](int64_t units) {
    return stage_clocks(kernel, device, copies, sharers_of(units * plan.cluster_size, device));
  };
  const double stages =
      busiest * (clocks_of(last) + (rounds - 1) * clocks_of(plan.workers)) / rounds;
  const int64_t parts = most_parts(plan);
  const FixupCost last_part = last_part_cost(plan, device, parts);
  double finishing = operation_clocks(kernel, device);
  if (plan.workload.kind.epilogue.beta != 0) {
    finishing += addend_clocks(kernel, device, kernel_shape(plan.product.shape, c));
  }
  const double epilogue = store_clocks(kernel, device) + last_part.finished * finishing +
                          (parts == 1 ? odd_store_clocks(plan, kernel, device) : 0);
  const double exposed = exposed_epilogue_clocks(kernel, device, epilogue, stages / rounds, false);
  return overlapped(us(stages), us(moved / device.l2_bytes_per_clock),
                    operands / device.dram_bytes_per_s * kMicroseconds) +
         us((rounds - 1) * exposed + epilogue) + launch_us(plan, device) +
         fixup_cost_us(plan, last_part, parts) +
         triangle_search_us(plan, device) * static_cast<double>(plan.most_units);
}

}  // namespace tilewright
