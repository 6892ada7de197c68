#include "model/estimate.hpp"

#include "model/price.hpp"
#include "model/timeline.hpp"

namespace tilewright {
namespace {

Estimate summed(const Plan& plan, const Price& price) {
  Estimate e = price.totals;
  // Rounds follow each other whatever the CTAs; units that wait for each other need events.
  const bool in_step =
      !price.rounds.empty() && plan.options == PlanOptions{} && !visits_square(plan);
  if (!in_step) {
    e.us = predict_timeline(plan, price).us;
    return e;
  }
  e.us = price.copies_us + price.launch_us + price.tail_us + price.scheduling.first_us;
  for (const RoundCost& round : price.rounds) {
    e.us += static_cast<double>(round.count) * (round.main_loop_us + round.epilogue_us);
  }
  e.us += static_cast<double>(price.rounds.back().end - 1) * price.scheduling.unit_us;
  return e;
}

}  // namespace

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
