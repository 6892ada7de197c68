#include "search/strategy.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/price.hpp"
#include "stats/random.hpp"
#include "stats/sample.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// In how many keys two configs differ.
size_t keys_apart(const TileConfig& a, const TileConfig& b) {
  const std::vector<ConfigKey> of_a = config_keys(a);
  const std::vector<ConfigKey> of_b = config_keys(b);
  if (a.family != b.family) return std::max(of_a.size(), of_b.size());
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
  std::vector<size_t> order;
  size_t best = 0;
  while (!left.empty()) {
    const auto next = std::find_if(left.begin(), left.end(), [&](size_t i) {
      return !order.empty() && keys_apart(configs[i].config, configs[best].config) == 1;
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
  throw usage_error(format("--strategy '{}'{}; known are model, exhaustive, random, local", text,
                           did_you_mean(text, kStrategies)));
}

std::vector<RecordedConfig> recorded_configs(const Problem& problem, const ProblemLog& log,
                                             const DeviceSpec& device) {
  std::map<std::string, std::vector<double>> samples;
  std::set<std::string> lost;
  for (const auto& race : log.races) {
    for (const ProblemLog::Round& round : race.second) {
      for (const auto& [contender, time] : round) {
        if (log.builds.count(contender) == 0) continue;
        if (time.lost.empty()) samples[contender].push_back(time.us);
        if (!time.lost.empty()) lost.insert(contender);
      }
    }
  }
  std::vector<RecordedConfig> configs;
  for (const auto& [name, us] : samples) {
    if (lost.count(name) == 1) continue;
    const TileConfig config = config_of(parse_config(name));
    configs.push_back({config, median(us), estimate(problem, config, device).us});
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

Progression progression_of(const std::vector<RecordedConfig>& configs,
                           const std::vector<size_t>& order) {
  const auto least = std::min_element(
      configs.begin(), configs.end(),
      [](const RecordedConfig& a, const RecordedConfig& b) { return a.us < b.us; });
  Progression progression;
  for (const size_t i : order) {
    const double now = least->us / configs[i].us;
    const double before = progression.reached.empty() ? 0 : progression.reached.back();
    progression.reached.push_back(std::max(now, before));
    if (before < 0.99) ++progression.configs_to_99;
  }
  return progression;
}

Progression replay(Strategy strategy, const std::vector<RecordedConfig>& configs, int seeds) {
  Progression mean;
  mean.reached.resize(configs.size());
  double to_99 = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Progression one =
        progression_of(configs, visit_order(strategy, configs, static_cast<uint64_t>(seed)));
    for (size_t i = 0; i < configs.size(); ++i) mean.reached[i] += one.reached[i] / seeds;
    to_99 += static_cast<double>(one.configs_to_99) / seeds;
  }
  mean.configs_to_99 = std::llround(to_99);
  return mean;
}

}  // namespace tilewright
