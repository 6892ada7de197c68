// Ways to walk a space of configs: on a GPU, where a config has a time once it is measured, and in
// comparisons over recorded times, where nothing runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "search/enumerate.hpp"
#include "search/recorder.hpp"
#include "search/space.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

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

/// Numbers every legal config of an enumeration: kernel by kernel, each in all its rasters and L2
/// requests.
class LegalConfigs {
 public:
  /// `spaces` are those of the enumeration; both must outlive this.
  LegalConfigs(const Enumeration& enumeration, const std::vector<SearchSpace>& spaces);

  size_t size() const { return begins_.back(); }
  TileConfig at(size_t index) const;
  /// The legal configs that differ from the config in one key.
  std::vector<TileConfig> one_key_from(const TileConfig& config) const;
  /// At most `count` of them: evenly spread, or drawn by `seed` if the strategy is Random.
  std::vector<TileConfig> some(Strategy strategy, size_t count, uint64_t seed) const;

 private:
  struct Requests {
    std::vector<int> promotions;
    std::vector<EvictFirst> evictions;
    size_t count() const { return promotions.size() * evictions.size(); }
  };
  const Requests& requests_of(const LegalKernel& kernel) const;
  TileConfig form(const LegalKernel& kernel, size_t index) const;

  const std::vector<LegalKernel>& kernels_;
  std::map<Family, Requests> requests_;
  std::vector<size_t> begins_;  // first index of each kernel's forms, then the total
};

/// A config with its recorded and its predicted time.
struct RecordedTime {
  std::string config;
  double us = 0;  // the median of the rounds of its first race
  size_t launches = 0;
  bool operator==(const RecordedTime&) const = default;
};

/// Every config that was built and that a problem's log has times of, by name, without those of
/// which a launch was lost. A confirmation, which comes last, heats the device as no race before it
/// does.
std::vector<RecordedTime> recorded_times(const ProblemLog& log);

struct RecordedConfig {
  TileConfig config;
  double us = 0;
  double predicted_us = 0;
  bool operator==(const RecordedConfig&) const = default;
};

/// The same with the model's predicted time of each config.
std::vector<RecordedConfig> recorded_configs(const Workload& workload, const ProblemLog& log,
                                             const DeviceSpec& device);

/// The order in which a strategy measures all configs; it uses each time once it is measured.
std::vector<size_t> visit_order(Strategy strategy, const std::vector<RecordedConfig>& configs,
                                uint64_t seed);

/// How close a strategy comes to the best of all configs, and after how many.
struct SearchProgress {
  std::vector<double> reached;  // the best time of all over the best of the first 1, 2, ... configs
  int64_t configs_to_99 = 0;    // until that is 0.99 or more
  bool operator==(const SearchProgress&) const = default;
};

SearchProgress search_progress(const std::vector<RecordedConfig>& configs,
                               const std::vector<size_t>& order);

/// The mean of a strategy's progress; only Random's differ from seed to seed.
SearchProgress replay(Strategy strategy, const std::vector<RecordedConfig>& configs, int seeds);

}  // namespace tilewright
