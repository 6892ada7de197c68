// Ways to walk a space of configs, compared on times that were recorded: nothing runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "search/recorder.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

enum class Strategy {
  Model,       // best predicted first
  Exhaustive,  // in the order of their names
  Random,      // in a random order
  Local,       // one key away from the best so far; when none is left, the next best predicted
};

inline constexpr std::string_view kStrategies[] = {"model", "exhaustive", "random", "local"};

/// Throws a usage error.
Strategy parse_strategy(std::string_view text);

/// A config with its recorded and its predicted time.
struct RecordedConfig {
  TileConfig config;
  double us = 0;
  double predicted_us = 0;
  bool operator==(const RecordedConfig&) const = default;
};

/// Every config that a problem's log has times of, by name; `us` is the median of all its rounds.
std::vector<RecordedConfig> recorded_configs(const Problem& problem, const ProblemLog& log,
                                             const DeviceSpec& device);

/// The order in which a strategy measures all of them, learning each time as it goes.
std::vector<size_t> visit_order(Strategy strategy, const std::vector<RecordedConfig>& configs,
                                uint64_t seed);

/// How near the best of all a strategy is, and when.
struct Progression {
  std::vector<double> reached;  // the best time of all over the best of the first 1, 2, ... configs
  int64_t configs_to_99 = 0;    // until that is 0.99 or more
  bool operator==(const Progression&) const = default;
};

Progression progression_of(const std::vector<RecordedConfig>& configs,
                           const std::vector<size_t>& order);

/// The mean of a strategy's progressions; only Random's differ from seed to seed.
Progression replay(Strategy strategy, const std::vector<RecordedConfig>& configs, int seeds);

}  // namespace tilewright
