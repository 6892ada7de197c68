// When each CTA of a plan does what: the price's units as events on a device.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/price.hpp"
#include "tile/plan/plan.hpp"
#include "tile/plan/work_tile.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// A predicted launch; microseconds, or k-steps where its price counts those.
struct Timeline {
  double us = 0;              // whole launch, kernels before and after the product's included
  double waiting_us = 0;      // parts that wait for others, summed over CTAs
  double fix_up_us = 0;       // moving partial tiles, summed over CTAs
  std::vector<double> end;    // of every CTA
  int64_t lanes_per_cta = 1;  // in spans: one for each of ping-pong's warpgroups
  bool completed = true;      // false: a CTA waits forever; `us` is what ran until then
  bool counts_k_steps = false;
};

/// The launch's time, for reports; nothing where it never ends or no time is predicted.
std::optional<double> believed_us(const Timeline& timeline);

/// Runs the plan's units as events with the durations of the price. Parts of a divided tile wait as
/// their reduction requires. Appends what every CTA does to `spans`, unless it is null, in order
/// for each CTA; a lane is one of the CTAs that are resident at once.
Timeline predict_timeline(const Plan& plan, const Price& price,
                          std::vector<WorkSpan>* spans = nullptr);
/// The same with the plan's price_of().
Timeline predict_timeline(const Plan& plan, const DeviceSpec& device,
                          std::vector<WorkSpan>* spans = nullptr);

}  // namespace tilewright
