// Hardware counters by CUPTI's range profiler.
//
// Counts whole launches: this code pushes its own ranges around them, and each pass of a plan
// launches again. Nothing is saved or restored, so later kernels of a launch find in L2 what
// earlier ones left, and CTAs that wait for each other run as usual. Starting a session leaves some
// 21 MB of the profiler's own dirty lines in L2; the sweep before each range evicts them, otherwise
// their eviction would count for the launches.
//
//   start | sweep, [close]   sweep, [launch]   sweep, [launch, close]   sweep, [launch] ... | stop
//           the control      what a launch     what it does until
//                            does              L2 is clean again
//
// For a launch that must find its own bytes in L2, `before` runs after the sweep.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu/measure/l2_sweep.hpp"

namespace tilewright {

/// Values in the order of the metrics: of the launch alone, and of the launch with the write-back
/// of its dirty lines, less the closing sweep's own.
struct LaunchReading {
  std::vector<double> launch;
  std::vector<double> swept;
};

/// `why_not` gives the reason if there are no readings.
struct LaunchReadings {
  std::vector<LaunchReading> launches;
  int passes = 0;
  std::string why_not;
};

/// Counts `metrics` over each of `count` launches, which may start several kernels; each runs twice
/// per pass. These launches must not be timed. Sums add up over the launch's kernels, averages are
/// over the range. `before`, if set, runs before each launch and is not counted.
LaunchReadings read_launches(const std::vector<std::string>& metrics, int device_index,
                             const L2Sweep& sweep, size_t count,
                             const std::function<void(size_t)>& launch,
                             const std::function<void(size_t)>& before = {});

/// The passes that `metrics` take together on `chip` ("GH100"); needs no GPU.
int planned_passes(const std::vector<std::string>& metrics, const std::string& chip);

/// Values by launch, each in the order of the metrics; `why_not` gives the reason if there are
/// none.
struct MetricSeries {
  std::vector<std::vector<double>> values;
  int passes = 0;
  std::string why_not;
};

/// Counts `metrics` over each of `count` launches alone. launch(i) starts exactly one kernel; CUPTI
/// runs it once per pass and restores its memory in between, so this is for counts that no cache
/// changes.
MetricSeries read_metrics_each(const std::vector<std::string>& metrics, int device_index,
                               size_t count, const std::function<void(size_t)>& launch);

}  // namespace tilewright
