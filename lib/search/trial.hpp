// How winners of other products do at one that was not tuned.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/origin.hpp"
#include "search/recorder.hpp"
#include "search/result.hpp"
#include "search/runner.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// A product that was measured and not tuned for: winners of others and the model's own best, all
/// in the same rounds.
struct Trial {
  struct Time {
    TileConfig config;
    double us = 0;
    bool operator==(const Time&) const = default;
  };
  Workload problem;
  std::string date;      // "2026-11-23"
  int64_t rounds = 0;    // 0: as many as a store has
  TileConfig predicted;  // what the model would answer with, one of `times`
  std::vector<Time> times;
  std::optional<Origin> origin = {};  // absent in files from before it was recorded
  bool operator==(const Trial&) const = default;
};

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
