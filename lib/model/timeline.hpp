// When does each CTA of a schedule do what: events on a device that the cost model knows.
#pragma once

#include <cstdint>
#include <vector>

#include "tile/device_spec.hpp"
#include "tile/schedule.hpp"
#include "tile/work_span.hpp"

namespace tilewright {

/// A predicted launch; microseconds.
struct Timeline {
  double us = 0;            // whole launch, a second reduction kernel included
  double waiting_us = 0;    // in turnstiles and meetings, summed over CTAs
  double fix_up_us = 0;     // moving partial tiles, summed over CTAs
  std::vector<double> end;  // of every CTA
  bool ends = true;         // false: one of them never opens, and `us` is what ran until then
};

/// Runs the schedule's units as events. A CTA's k-step takes what the cost model gives for the
/// operands that its problem reads a step and the CTAs at work then; parts of a divided tile wait
/// for their turn or, in reduce-scatter, for each other, move their partial tile, and the one with
/// the last k-step, or each its share, runs the epilogue.
Timeline predict_timeline(const Schedule& schedule, DataType dtype, const DeviceSpec& device);

/// The same, and appends to `spans` what every CTA does when, those of one CTA in its order; a lane
/// is one of the CTAs that are resident at once.
Timeline predict_timeline(const Schedule& schedule, DataType dtype, const DeviceSpec& device,
                          std::vector<WorkSpan>& spans);

}  // namespace tilewright
