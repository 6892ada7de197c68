#include "gpu/measure/range_profiler.hpp"

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/compile/library_check.hpp"

namespace tilewright {
namespace {

// Every CUPTI parameter struct starts with its own size.
template <class Params>
Params sized(size_t size) {
  Params params{};
  params.structSize = size;
  return params;
}

#define TW_PARAMS(Type) sized<Type>(Type##_STRUCT_SIZE)

std::vector<const char*> c_strings(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  pointers.reserve(texts.size());
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

std::string chip_name(int device_index) {
  auto chip = TW_PARAMS(CUpti_Device_GetChipName_Params);
  chip.deviceIndex = static_cast<size_t>(device_index);
  TW_CHECK(cuptiDeviceGetChipName(&chip));
  return chip.pChipName;
}

std::vector<uint8_t> counter_availability() {
  auto query = TW_PARAMS(CUpti_Profiler_GetCounterAvailability_Params);
  TW_CHECK(cuptiProfilerGetCounterAvailability(&query));
  std::vector<uint8_t> image(query.counterAvailabilityImageSize);
  query.pCounterAvailabilityImage = image.data();
  TW_CHECK(cuptiProfilerGetCounterAvailability(&query));
  return image;
}

// The host side: plans the passes, and turns counter data into metric values. Needs no GPU.
class MetricPlan {
 public:
  MetricPlan(const std::vector<std::string>& metrics, const std::string& chip,
             const std::vector<uint8_t>& availability)
      : names_(c_strings(metrics)) {
    auto open = TW_PARAMS(CUpti_Profiler_Host_Initialize_Params);
    open.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    open.pChipName = chip.c_str();
    open.pCounterAvailabilityImage = availability.data();
    TW_CHECK(cuptiProfilerHostInitialize(&open));
    host_ = open.pHostObject;
    auto add = TW_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params);
    add.pHostObject = host_;
    add.ppMetricNames = names_.data();
    add.numMetrics = names_.size();
    TW_CHECK(cuptiProfilerHostConfigAddMetrics(&add));
    auto size = TW_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params);
    size.pHostObject = host_;
    TW_CHECK(cuptiProfilerHostGetConfigImageSize(&size));
    config_.resize(size.configImageSize);
    auto image = TW_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params);
    image.pHostObject = host_;
    image.configImageSize = config_.size();
    image.pConfigImage = config_.data();
    TW_CHECK(cuptiProfilerHostGetConfigImage(&image));
  }
  MetricPlan(const MetricPlan&) = delete;
  MetricPlan& operator=(const MetricPlan&) = delete;
  ~MetricPlan() {
    auto close = TW_PARAMS(CUpti_Profiler_Host_Deinitialize_Params);
    close.pHostObject = host_;
    cuptiProfilerHostDeinitialize(&close);
  }

  const std::vector<uint8_t>& config() const { return config_; }
  std::vector<const char*>& names() { return names_; }

  int passes() {
    auto query = TW_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params);
    query.configImageSize = config_.size();
    query.pConfigImage = config_.data();
    TW_CHECK(cuptiProfilerHostGetNumOfPasses(&query));
    return static_cast<int>(query.numOfPasses);
  }

  /// The metrics of one range of the counter data.
  std::vector<double> evaluate(const std::vector<uint8_t>& counter_data, size_t range) {
    std::vector<double> values(names_.size());
    auto query = TW_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
    query.pHostObject = host_;
    query.pCounterDataImage = counter_data.data();
    query.counterDataImageSize = counter_data.size();
    query.rangeIndex = range;
    query.ppMetricNames = names_.data();
    query.numMetrics = names_.size();
    query.pMetricValues = values.data();
    TW_CHECK(cuptiProfilerHostEvaluateToGpuValues(&query));
    return values;
  }

 private:
  std::vector<const char*> names_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
  std::vector<uint8_t> config_;
};

// The target side: owns the counters of the current context while it lives.
class CounterSession {
 public:
  CounterSession() {
    auto enable = TW_PARAMS(CUpti_RangeProfiler_Enable_Params);
    TW_CHECK(cuptiRangeProfilerEnable(&enable));
    profiler_ = enable.pRangeProfilerObject;
  }
  CounterSession(const CounterSession&) = delete;
  CounterSession& operator=(const CounterSession&) = delete;
  ~CounterSession() {
    auto disable = TW_PARAMS(CUpti_RangeProfiler_Disable_Params);
    disable.pRangeProfilerObject = profiler_;
    cuptiRangeProfilerDisable(&disable);
  }

  /// Runs `launches` under kernel replay; returns counter data with one range per kernel. Throws an
  /// environment error if there are more than `most` kernels.
  std::vector<uint8_t> collect_kernels(MetricPlan& plan, size_t most,
                                       const std::function<void()>& launches) {
    std::vector<uint8_t> data = configure(plan, most, CUPTI_AutoRange, CUPTI_KernelReplay);
    pass(launches);
    decode(most);
    return data;
  }

  /// Runs `ranges` once per pass; returns the counter data of the ranges that it pushes and pops.
  std::vector<uint8_t> collect_ranges(MetricPlan& plan, size_t most,
                                      const std::function<void()>& ranges) {
    std::vector<uint8_t> data = configure(plan, most, CUPTI_UserRange, CUPTI_UserReplay);
    while (!pass(ranges)) {
    }
    decode(most);
    return data;
  }

  /// Runs `body` as range `number` of collect_ranges().
  void range(size_t number, const std::function<void()>& body) {
    const std::string name = format("{}", number);
    auto push = TW_PARAMS(CUpti_RangeProfiler_PushRange_Params);
    push.pRangeProfilerObject = profiler_;
    push.pRangeName = name.c_str();
    TW_CHECK(cuptiRangeProfilerPushRange(&push));
    body();
    auto pop = TW_PARAMS(CUpti_RangeProfiler_PopRange_Params);
    pop.pRangeProfilerObject = profiler_;
    TW_CHECK(cuptiRangeProfilerPopRange(&pop));
  }

 private:
  std::vector<uint8_t> configure(MetricPlan& plan, size_t ranges, CUpti_ProfilerRange range,
                                 CUpti_ProfilerReplayMode replay) {
    std::vector<uint8_t> data = counter_data_image(plan, ranges);
    auto config = TW_PARAMS(CUpti_RangeProfiler_SetConfig_Params);
    config.pRangeProfilerObject = profiler_;
    config.configSize = plan.config().size();
    config.pConfig = plan.config().data();
    config.counterDataImageSize = data.size();
    config.pCounterDataImage = data.data();
    config.range = range;
    config.replayMode = replay;
    config.maxRangesPerPass = ranges;
    config.numNestingLevels = 1;
    config.minNestingLevel = 1;
    config.passIndex = 0;
    config.targetNestingLevel = range == CUPTI_UserRange ? 1 : 0;
    TW_CHECK(cuptiRangeProfilerSetConfig(&config));
    return data;
  }

  // True when the plan's passes are all done.
  bool pass(const std::function<void()>& launches) {
    auto start = TW_PARAMS(CUpti_RangeProfiler_Start_Params);
    start.pRangeProfilerObject = profiler_;
    TW_CHECK(cuptiRangeProfilerStart(&start));
    launches();
    TW_CHECK(cudaDeviceSynchronize());
    auto stop = TW_PARAMS(CUpti_RangeProfiler_Stop_Params);
    stop.pRangeProfilerObject = profiler_;
    TW_CHECK(cuptiRangeProfilerStop(&stop));
    return stop.isAllPassSubmitted != 0;
  }

  void decode(size_t ranges) {
    auto decode = TW_PARAMS(CUpti_RangeProfiler_DecodeData_Params);
    decode.pRangeProfilerObject = profiler_;
    TW_CHECK(cuptiRangeProfilerDecodeData(&decode));
    if (decode.numOfRangeDropped > 0) {
      throw environment_error(format("CUPTI skipped the ranges after {}", ranges));
    }
  }

  std::vector<uint8_t> counter_data_image(MetricPlan& plan, size_t ranges) {
    auto size = TW_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params);
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = plan.names().data();
    size.numMetrics = plan.names().size();
    size.maxNumOfRanges = ranges;
    size.maxNumRangeTreeNodes = static_cast<uint32_t>(ranges);
    TW_CHECK(cuptiRangeProfilerGetCounterDataSize(&size));
    std::vector<uint8_t> data(size.counterDataSize);
    auto init = TW_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
    init.pRangeProfilerObject = profiler_;
    init.counterDataSize = data.size();
    init.pCounterData = data.data();
    TW_CHECK(cuptiRangeProfilerCounterDataImageInitialize(&init));
    return data;
  }

  CUpti_RangeProfiler_Object* profiler_ = nullptr;
};

// The image's ranges in the order of their numbers. An automatic range is named after its kernel
// and keeps its place.
std::vector<size_t> ranges_in_order(const std::vector<uint8_t>& data) {
  auto info = TW_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params);
  info.pCounterDataImage = data.data();
  info.counterDataImageSize = data.size();
  TW_CHECK(cuptiRangeProfilerGetCounterDataInfo(&info));
  std::vector<std::pair<int64_t, size_t>> numbered;
  for (size_t range = 0; range < info.numTotalRanges; ++range) {
    auto name = TW_PARAMS(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params);
    name.pCounterDataImage = data.data();
    name.counterDataImageSize = data.size();
    name.rangeIndex = range;
    name.rangeDelimiter = "/";
    TW_CHECK(cuptiRangeProfilerCounterDataGetRangeInfo(&name));
    const std::optional<int64_t> number = parse_count(name.rangeName);
    numbered.emplace_back(number.value_or(static_cast<int64_t>(range)), range);
  }
  std::sort(numbered.begin(), numbered.end());
  std::vector<size_t> order;
  order.reserve(numbered.size());
  for (const auto& range : numbered) order.push_back(range.second);
  return order;
}

std::vector<std::vector<double>> evaluate_all(MetricPlan& plan, const std::vector<uint8_t>& data) {
  std::vector<std::vector<double>> values;
  for (const size_t range : ranges_in_order(data)) values.push_back(plan.evaluate(data, range));
  return values;
}

void initialize_profiler() {
  auto initialize = TW_PARAMS(CUpti_Profiler_Initialize_Params);
  TW_CHECK(cuptiProfilerInitialize(&initialize));
}

std::string not_available(const Error& error) {
  return format("hardware counters are not available ({})", error.what());
}

// The most ranges of a session: bounds the memory of its counter data.
constexpr size_t kMaxRanges = 256;

// The values of the control, then for each launch those of it alone and of it with the sweep.
std::vector<std::vector<double>> read_ranges(MetricPlan& plan, const L2Sweep& sweep, size_t count,
                                             const std::function<void(size_t)>& launch,
                                             const std::function<void(size_t)>& before) {
  CounterSession session;
  const auto ranges = [&] {
    size_t number = 0;
    sweep.open();
    session.range(number++, [&] { sweep.close(); });
    const auto next = [&](size_t i, const std::function<void()>& body) {
      sweep.open();
      before(i);
      session.range(number++, body);
    };
    for (size_t i = 0; i < count; ++i) {
      next(i, [&] { launch(i); });
      next(i, [&] {
        launch(i);
        sweep.close();
      });
    }
  };
  std::vector<std::vector<double>> values =
      evaluate_all(plan, session.collect_ranges(plan, 2 * count + 1, ranges));
  if (values.size() != 2 * count + 1) {
    throw environment_error(format("CUPTI counted {} of {} ranges", values.size(), 2 * count + 1));
  }
  return values;
}

}  // namespace

LaunchReadings read_launches(const std::vector<std::string>& metrics, int device_index,
                             const L2Sweep& sweep, size_t count,
                             const std::function<void(size_t)>& launch,
                             const std::function<void(size_t)>& before) {
  constexpr size_t kLaunches = kMaxRanges / 2;
  try {
    initialize_profiler();
    MetricPlan plan(metrics, chip_name(device_index), counter_availability());
    LaunchReadings readings{.launches = {}, .passes = plan.passes(), .why_not = {}};
    for (size_t first = 0; first < count; first += kLaunches) {
      const size_t some = std::min(count - first, kLaunches);
      std::vector<std::vector<double>> values = read_ranges(
          plan, sweep, some, [&](size_t i) { launch(first + i); },
          [&](size_t i) {
            if (before) before(first + i);
          });
      for (size_t i = 0; i < some; ++i) {
        LaunchReading reading{std::move(values[2 * i + 1]), std::move(values[2 * i + 2])};
        for (size_t m = 0; m < metrics.size(); ++m) reading.swept[m] -= values.front()[m];
        readings.launches.push_back(std::move(reading));
      }
    }
    return readings;
  } catch (const Error& error) {
    return {.launches = {}, .passes = 0, .why_not = not_available(error)};
  }
}

int planned_passes(const std::vector<std::string>& metrics, const std::string& chip) {
  return MetricPlan(metrics, chip, {}).passes();
}

MetricSeries read_metrics_each(const std::vector<std::string>& metrics, int device_index,
                               size_t count, const std::function<void(size_t)>& launch) {
  try {
    initialize_profiler();
    MetricPlan plan(metrics, chip_name(device_index), counter_availability());
    MetricSeries series{.values = {}, .passes = plan.passes(), .why_not = {}};
    for (size_t first = 0; first < count; first += kMaxRanges) {
      const size_t end = std::min(count, first + kMaxRanges);
      CounterSession session;
      std::vector<std::vector<double>> kernels =
          evaluate_all(plan, session.collect_kernels(plan, end - first, [&] {
            for (size_t i = first; i < end; ++i) launch(i);
          }));
      if (kernels.size() != end - first) {
        throw environment_error(
            format("CUPTI counted {} kernels in {} launches", kernels.size(), end - first));
      }
      std::move(kernels.begin(), kernels.end(), std::back_inserter(series.values));
    }
    return series;
  } catch (const Error& error) {
    return {.values = {}, .passes = 0, .why_not = not_available(error)};
  }
}

}  // namespace tilewright
