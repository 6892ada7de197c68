// Hardware counters of kernel launches, by CUPTI's range profiler with kernel replay.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tilewright {

/// Values in the order of the metrics; `why_not` says why there are none.
struct MetricReading {
  std::vector<double> values;
  int passes = 0;
  std::string why_not;
};

/// Counts `metrics` (GH100 names such as "dram__bytes_read.sum") over the one kernel that `launch`
/// starts on the current device. The kernel runs once a pass, its memory restored in between; never
/// time it.
MetricReading read_metrics(const std::vector<std::string>& metrics, int device_index,
                           const std::function<void()>& launch);

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
