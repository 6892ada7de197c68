// Hardware counters of kernel launches, by CUPTI's range profiler with kernel replay.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu/measure/launch_metrics.hpp"

namespace tilewright {

/// The launch's values in the order of the metrics, and how many kernels it started; `why_not` says
/// why there are none.
struct MetricReading {
  std::vector<double> values;
  size_t kernels = 0;
  int passes = 0;
  std::string why_not;
};

/// Counts `metrics` over all kernels that `launch` starts on the current device, 16 at most. Each
/// runs once a pass, its memory restored in between; never time them.
MetricReading read_metrics(const std::vector<LaunchMetric>& metrics, int device_index,
                           const std::function<void()>& launch);

/// The passes that `metrics` take together on `chip` ("GH100"); needs no GPU.
int planned_passes(const std::vector<std::string>& metrics, const std::string& chip);

/// Values by launch, each in the order of the metrics; `why_not` says why there are none.
struct MetricSeries {
  std::vector<std::vector<double>> values;
  int passes = 0;
  std::string why_not;
};

/// Counts `metrics` over each of `count` launches by itself; launch(i) starts exactly one kernel.
/// Many launches share one session, which makes one cost little.
MetricSeries read_metrics_each(const std::vector<std::string>& metrics, int device_index,
                               size_t count, const std::function<void(size_t)>& launch);

}  // namespace tilewright
