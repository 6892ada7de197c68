#include "model/estimate.hpp"

#include "model/price.hpp"
#include "model/timeline.hpp"
#include "model/wave_bound.hpp"

namespace tilewright {
namespace {

// In microseconds, or in k-steps where the price counts those.
double length_of(const Plan& plan, const Price& price) {
  // Rounds follow each other whatever the CTAs; units that wait for each other need events.
  const bool in_step =
      !price.rounds.empty() && plan.options == PlanOptions{} && !visits_square(plan);
  if (!in_step) return predict_timeline(plan, price).us;
  double us = price.copies_us + price.launch_us + price.tail_us + price.scheduling.first_us;
  for (const RoundCost& round : price.rounds) {
    us += static_cast<double>(round.count) * (round.main_loop_us + round.epilogue_us);
  }
  return us + static_cast<double>(price.rounds.back().end - 1) * price.scheduling.unit_us;
}

Estimate summed(const Plan& plan, const Price& price) {
  Estimate e = price.totals;
  e.us = length_of(plan, price);
  e.is_time = !price.counts_k_steps;
  if (e.is_time) return e;
  e.us = wave_bound_us(plan, *price.device, e.us, e.dram_read_bytes + e.dram_write_bytes);
  return e;
}

}  // namespace

std::optional<double> believed_us(const Estimate& estimate) {
  return estimate.is_time ? std::optional(estimate.us) : std::nullopt;
}

Estimate estimate(const Plan& plan, const DeviceSpec& device) {
  return summed(plan, price_of(plan, device));
}

Estimate estimate(const Plan& plan, const DeviceSpec& device, const L2Traffic& traffic) {
  return summed(plan, price_of(plan, device, traffic));
}

Estimate estimate(const Plan& plan, const DeviceSpec& device, ReplayCache& replays) {
  return summed(plan, price_of(plan, device, ReplayDetail::Fine, &replays));
}

Estimate estimate(const Problem& problem, const TileConfig& config, const DeviceSpec& device) {
  return estimate(make_plan(problem, config, device), device);
}

}  // namespace tilewright
