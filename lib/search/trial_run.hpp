// Trials as they are made: on a device, or out of recorded times.
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

/// What is tried at a product.
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

/// Builds and verifies the configs and times those that are right. Without `times` where what is
/// predicted did not run; date and origin are the caller's.
Trial measure_trial(const TrialPlan& plan, Runner& runner, const TrialPolicy& policy,
                    Progress& progress);

/// The same out of a problem's recorded times, with the fastest recorded config, whichever it is.
Trial recorded_trial(const TrialPlan& plan, const ProblemLog& log, const DeviceSpec& device);

}  // namespace tilewright
