// Hardware counters by CUPTI's range profiler.
//
// Of launches, whole: ranges of our own around them, and the passes of a plan launch anew. Nothing
// is saved or restored, so that kernels of a launch find in L2 what those before them left, and
// CTAs that wait for each other run as ever. Starting a session leaves some 21 MB of the
// profiler's own dirty in L2, which the launches of a session would be charged for as they evict
// it; the sweep before each range drives it out.
//
//   start | sweep, [close]   sweep, [launch]   sweep, [launch, close]   sweep, [launch] ... | stop
//           the control      what a launch     what it does until
//                            does              L2 is clean again
//
// A launch that shall find its own bytes in L2 has a `before`, behind the sweep.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu/measure/l2_sweep.hpp"

namespace tilewright {

/// Values in the order of the metrics: of the launch, and of it together with what it left to be
/// written back, less the closing sweep's own.
struct LaunchReading {
  std::vector<double> launch;
  std::vector<double> swept;
};

/// `why_not` says why there are no readings.
struct LaunchReadings {
  std::vector<LaunchReading> launches;
  int passes = 0;
  std::string why_not;
};

/// Counts `metrics` over each of `count` launches, which may start several kernels; each runs twice
/// a pass. Never time them. Values that add are whole; an average's is of the range. `before`, if
/// any, comes ahead of each and is not counted.
LaunchReadings read_launches(const std::vector<std::string>& metrics, int device_index,
                             const L2Sweep& sweep, size_t count,
                             const std::function<void(size_t)>& launch,
                             const std::function<void(size_t)>& before = {});

/// The passes that `metrics` take together on `chip` ("GH100"); needs no GPU.
int planned_passes(const std::vector<std::string>& metrics, const std::string& chip);

/// Values by launch, each in the order of the metrics; `why_not` says why there are none.
struct MetricSeries {
  std::vector<std::vector<double>> values;
  int passes = 0;
  std::string why_not;
};

/// Counts `metrics` over each of `count` launches by itself; launch(i) starts exactly one kernel,
/// which runs once a pass, its memory restored in between: for counts that no cache changes.
MetricSeries read_metrics_each(const std::vector<std::string>& metrics, int device_index,
                               size_t count, const std::function<void(size_t)>& launch);

}  // namespace tilewright
