#include "search/strategy.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/estimate.hpp"
#include "stats/random.hpp"
#include "stats/sample.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

using Keys = std::vector<ConfigKey>;

// The number of keys in which two configs differ; their family is one of the keys.
size_t keys_apart(const Keys& of_a, const Keys& of_b) {
  if (of_a.front() != of_b.front()) return std::max(of_a.size(), of_b.size());
  const auto same = std::count_if(of_a.begin(), of_a.end(), [&of_b](const ConfigKey& key) {
    return std::find(of_b.begin(), of_b.end(), key) != of_b.end();
  });
  return std::max(of_a.size(), of_b.size()) - static_cast<size_t>(same);
}

std::vector<size_t> by_prediction(const std::vector<RecordedConfig>& configs) {
  std::vector<size_t> order(configs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&configs](size_t a, size_t b) {
    return configs[a].predicted_us < configs[b].predicted_us;
  });
  return order;
}

std::vector<size_t> local_order(const std::vector<RecordedConfig>& configs) {
  std::vector<size_t> left = by_prediction(configs);
  std::vector<Keys> keys;
  keys.reserve(configs.size());
  for (const RecordedConfig& recorded : configs) keys.push_back(config_keys(recorded.config));
  std::vector<size_t> order;
  size_t best = 0;
  while (!left.empty()) {
    const auto next = std::find_if(left.begin(), left.end(), [&](size_t i) {
      return !order.empty() && keys_apart(keys[i], keys[best]) == 1;
    });
    const auto taken = next == left.end() ? left.begin() : next;
    if (order.empty() || configs[*taken].us < configs[best].us) best = *taken;
    order.push_back(*taken);
    left.erase(taken);
  }
  return order;
}

}  // namespace

Strategy parse_strategy(std::string_view text) {
  for (size_t i = 0; i < std::size(kStrategies); ++i) {
    if (kStrategies[i] == text) return static_cast<Strategy>(i);
  }
  throw usage_error(format("--strategy '{}'{}; it takes {}", text, did_you_mean(text, kStrategies),
                           join_words(kStrategies, "and")));
}

LegalConfigs::LegalConfigs(const Enumeration& enumeration, const std::vector<SearchSpace>& spaces)
    : kernels_(enumeration.kernels), begins_({0}) {
  for (const SearchSpace& space : spaces) {
    requests_[space.family] = {space.l2_promotion_bytes, space.evict_first};
  }
  for (const LegalKernel& kernel : kernels_) {
    begins_.push_back(begins_.back() + kernel.rasters.size() * requests_of(kernel).count());
  }
}

const LegalConfigs::Requests& LegalConfigs::requests_of(const LegalKernel& kernel) const {
  return requests_.at(kernel.config.family);
}

TileConfig LegalConfigs::form(const LegalKernel& kernel, size_t index) const {
  const Requests& requests = requests_of(kernel);
  TileConfig config = kernel.config;
  config.raster = kernel.rasters[index / requests.count()];
  const size_t request = index % requests.count();
  config.l2_promotion_bytes = requests.promotions[request / requests.evictions.size()];
  config.evict_first = requests.evictions[request % requests.evictions.size()];
  return config;
}

TileConfig LegalConfigs::at(size_t index) const {
  const auto behind = std::upper_bound(begins_.begin(), begins_.end(), index);
  const auto kernel = static_cast<size_t>(behind - begins_.begin()) - 1;
  return form(kernels_[kernel], index - begins_[kernel]);
}

std::vector<TileConfig> LegalConfigs::one_key_from(const TileConfig& config) const {
  std::vector<TileConfig> near;
  const Keys own = config_keys(config);
  for (size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
    TileConfig same_form = kernels_[kernel].config;
    same_form.raster = config.raster;
    same_form.l2_promotion_bytes = config.l2_promotion_bytes;
    same_form.evict_first = config.evict_first;
    if (keys_apart(config_keys(same_form), own) > 1) continue;
    for (size_t i = begins_[kernel]; i < begins_[kernel + 1]; ++i) {
      const TileConfig other = at(i);
      if (keys_apart(config_keys(other), own) == 1) near.push_back(other);
    }
  }
  return near;
}

std::vector<TileConfig> LegalConfigs::some(Strategy strategy, size_t count, uint64_t seed) const {
  count = std::min(count, size());
  std::vector<size_t> numbers(count);
  if (strategy == Strategy::Random) {
    numbers.resize(size());
    std::iota(numbers.begin(), numbers.end(), size_t{0});
    Random random(seed);
    shuffle(std::span<size_t>(numbers), random);
    numbers.resize(count);
  } else {
    for (size_t i = 0; i < count; ++i) numbers[i] = i * size() / count;
  }
  std::vector<TileConfig> configs;
  configs.reserve(count);
  for (const size_t number : numbers) configs.push_back(at(number));
  return configs;
}

std::vector<RecordedTime> recorded_times(const ProblemLog& log) {
  std::map<std::string, std::vector<double>> samples;
  std::set<std::string> lost;
  for (const auto& race : log.races) {
    std::map<std::string, std::vector<double>> of_race;
    for (const ProblemLog::Round& round : race.second) {
      for (const auto& [contender, time] : round) {
        if (log.builds.count(contender) == 0 || is_foreign_name(contender)) continue;
        if (time.failure.empty()) of_race[contender].push_back(time.us);
        if (!time.failure.empty()) lost.insert(contender);
      }
    }
    samples.merge(of_race);
  }
  std::vector<RecordedTime> times;
  for (const auto& [name, us] : samples) {
    if (lost.count(name) == 0) times.push_back({name, median(us), us.size()});
  }
  return times;
}

std::vector<RecordedConfig> recorded_configs(const Workload& workload, const ProblemLog& log,
                                             const DeviceSpec& device) {
  std::vector<RecordedConfig> configs;
  for (const RecordedTime& time : recorded_times(log)) {
    const TileConfig config = config_of(parse_config(time.config));
    configs.push_back({config, time.us, estimate(make_plan(workload, config, device), device).us});
  }
  return configs;
}

std::vector<size_t> visit_order(Strategy strategy, const std::vector<RecordedConfig>& configs,
                                uint64_t seed) {
  if (strategy == Strategy::Model) return by_prediction(configs);
  if (strategy == Strategy::Local) return local_order(configs);
  std::vector<size_t> order(configs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (strategy == Strategy::Random) {
    Random random(seed);
    shuffle(std::span<size_t>(order), random);
  }
  return order;
}

SearchProgress search_progress(const std::vector<RecordedConfig>& configs,
                               const std::vector<size_t>& order) {
  const auto least = std::min_element(
      configs.begin(), configs.end(),
      [](const RecordedConfig& a, const RecordedConfig& b) { return a.us < b.us; });
  SearchProgress progress;
  for (const size_t i : order) {
    const double now = least->us / configs[i].us;
    const double before = progress.reached.empty() ? 0 : progress.reached.back();
    progress.reached.push_back(std::max(now, before));
    if (before < 0.99) ++progress.configs_to_99;
  }
  return progress;
}

SearchProgress replay(Strategy strategy, const std::vector<RecordedConfig>& configs, int seeds) {
  SearchProgress mean;
  mean.reached.resize(configs.size());
  double to_99 = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const SearchProgress one =
        search_progress(configs, visit_order(strategy, configs, static_cast<uint64_t>(seed)));
    for (size_t i = 0; i < configs.size(); ++i) mean.reached[i] += one.reached[i] / seeds;
    to_99 += static_cast<double>(one.configs_to_99) / seeds;
  }
  mean.configs_to_99 = std::llround(to_99);
  return mean;
}

}  // namespace tilewright
