// Makes trials: on a device, or from recorded times.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "search/recorder.hpp"
#include "search/result.hpp"
#include "search/runner.hpp"
#include "search/trial.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// What to try at a product.
struct TrialPlan {
  Workload problem;
  TileConfig predicted;
  std::vector<TileConfig> configs;  // `predicted` among them
};

struct TrialPolicy {
  int64_t rounds = 0;  // 0: by the kernels' length
  uint64_t seed = 1;
  std::function<void()> between_races = [] {};
};

/// Builds and verifies the configs and times those that are right. `times` is empty if the
/// predicted config did not run; the caller sets date and origin.
Trial measure_trial(const TrialPlan& plan, Runner& runner, const TrialPolicy& policy,
                    ProgressListener& progress);

/// The same from a problem's recorded times, plus the fastest recorded config.
Trial recorded_trial(const TrialPlan& plan, const ProblemLog& log, const DeviceSpec& device);

}  // namespace tilewright
