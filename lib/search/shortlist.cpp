#include "search/shortlist.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "stats/random.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

constexpr size_t kDraws = 512;

// A normal number for each draw of each property, by its text.
class SharedErrors {
 public:
  const std::vector<float>& of(const std::string& property) {
    const auto known = draws_.find(property);
    if (known != draws_.end()) return known->second;
    std::vector<float>& draws = draws_[property];
    Random random(hash_number(property));
    draws.reserve(kDraws);
    while (draws.size() < kDraws) {
      // Box and Muller's two normal numbers of two uniform ones.
      const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
      const double angle = 2 * std::numbers::pi * random.uniform();
      draws.push_back(static_cast<float>(radius * std::cos(angle)));
      draws.push_back(static_cast<float>(radius * std::sin(angle)));
    }
    return draws;
  }

 private:
  std::map<std::string, std::vector<float>> draws_;
};

// A property by which a config shares errors with others.
struct Property {
  std::string text;
  double us = 0;     // deviation, microseconds
  double share = 0;  // deviation of the logarithm
};

std::vector<Property> properties_of(const TileConfig& config, const PredictionErrors& errors) {
  const std::string family(record_of(config.family).name);
  const bool is_whole = std::holds_alternative<DataParallel>(config.decomposition);
  const std::string reduction = is_whole ? "whole" : to_string(reduction_of(config.decomposition));
  return {{family, errors.family_us, 0},
          {"reduction " + reduction, errors.reduction_us, 0},
          {format("{} {} {}", family, to_string(config.cta), config.swap_ab), 0, errors.tile},
          {format("{} {}", family, to_string(config.schedule)), 0, errors.schedule},
          {to_string(config.decomposition), 0, errors.division},
          {"cluster " + to_string(config.cluster), 0, errors.cluster},
          {to_string(config), 0, errors.own}};
}

// A config, by its index, and its time in each draw.
struct Drawn {
  size_t index = 0;
  std::vector<float> us;
};

std::vector<float> draw(const PricedConfig& priced, const PredictionErrors& errors,
                        SharedErrors& shared) {
  constexpr double kMinShare = 0.2;  // of the prediction, that an error leaves
  std::vector<float> added(kDraws);
  std::vector<float> logarithm(kDraws);
  for (const Property& property : properties_of(priced.config, errors)) {
    const std::vector<float>& draws = shared.of(property.text);
    for (size_t i = 0; i < kDraws; ++i) {
      added[i] += static_cast<float>(property.us) * draws[i];
      logarithm[i] += static_cast<float>(property.share) * draws[i];
    }
  }
  const double us = priced.us;
  std::vector<float> times(kDraws);
  for (size_t i = 0; i < kDraws; ++i) {
    times[i] = static_cast<float>(std::max(kMinShare * us, us * std::exp(logarithm[i]) + added[i]));
  }
  return times;
}

// The sum over draws of the least of both times.
double expected_least(const std::vector<float>& least, const std::vector<float>& us) {
  double sum = 0;
  for (size_t i = 0; i < kDraws; ++i) sum += std::min(least[i], us[i]);
  return sum;
}

}  // namespace

std::vector<size_t> shortlist(std::span<const PricedConfig> configs, size_t count,
                              const PredictionErrors& errors) {
  // What is predicted to be slower by this factor is out of reach of the errors.
  constexpr double kReach = 1.6;
  constexpr size_t kMax = 1500;
  if (configs.empty()) return {};
  SharedErrors shared;
  std::vector<Drawn> drawn;
  for (size_t i = 0; i < configs.size() && drawn.size() < kMax; ++i) {
    if (configs[i].us > kReach * configs.front().us) continue;
    drawn.push_back({i, draw(configs[i], errors, shared)});
  }
  std::vector<size_t> list;
  std::vector<float> least(kDraws, std::numeric_limits<float>::max());
  while (list.size() < count && !drawn.empty()) {
    // The first stays first, whatever the draws say.
    auto best = list.empty() ? drawn.begin() : drawn.end();
    double best_sum = 0;
    for (auto one = drawn.begin(); !list.empty() && one != drawn.end(); ++one) {
      const double sum = expected_least(least, one->us);
      if (best != drawn.end() && sum >= best_sum) continue;
      best = one;
      best_sum = sum;
    }
    for (size_t i = 0; i < kDraws; ++i) least[i] = std::min(least[i], best->us[i]);
    list.push_back(best->index);
    drawn.erase(best);
  }
  return list;
}

}  // namespace tilewright
