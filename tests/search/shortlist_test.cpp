#include "search/shortlist.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "search/rank.hpp"
#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

constexpr const char* kShapes[] = {"4096x4096x4096", "880x5016x2152", "8x168x5896", "200x176x1096",
                                   "16x8192x8192",   "256x256x65536", "5x72x64"};

const Ranking& ranking_of(const char* shape) {
  static std::map<std::string, Ranking> known;
  const auto at = known.find(shape);
  if (at != known.end()) return at->second;
  return known[shape] = rank(workload_of({parse_shape(shape)}), all_spaces(), testing::h200());
}

std::vector<RankedConfig> list_of(const std::vector<RankedConfig>& kernels, size_t count,
                                  const PredictionErrors& errors = kKnownErrors) {
  std::vector<PricedConfig> priced;
  for (const RankedConfig& kernel : kernels) priced.push_back({kernel.config, kernel.predicted.us});
  std::vector<RankedConfig> list;
  for (const size_t index : shortlist(priced, count, errors)) list.push_back(kernels.at(index));
  return list;
}

std::vector<std::string> names_of(const std::vector<RankedConfig>& list) {
  std::vector<std::string> names;
  for (const RankedConfig& one : list) names.push_back(to_string(one.config));
  return names;
}

TEST_CASE("each of the list is a ranked, legal kernel, once; the best prediction comes first") {
  for (const char* const shape : kShapes) {
    const Workload workload = workload_of({parse_shape(shape)});
    const Ranking& ranking = ranking_of(shape);
    const std::vector<RankedConfig> list = list_of(ranking.kernels, 8);
    REQUIRE(!list.empty());
    CHECK(list.size() == std::min<size_t>(8, ranking.kernels.size()));
    CHECK(list.front() == ranking.kernels.front());
    for (const RankedConfig& one : list) {
      CHECK_FALSE(reject_workload(workload, one.config, testing::h200()));
      CHECK(std::find(ranking.kernels.begin(), ranking.kernels.end(), one) !=
            ranking.kernels.end());
    }
    const std::vector<std::string> names = names_of(list);
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  }
}

TEST_CASE("a shorter list is the beginning of a longer one, and equal input gives equal lists") {
  for (const char* const shape : kShapes) {
    const Ranking& ranking = ranking_of(shape);
    const std::vector<RankedConfig> list = list_of(ranking.kernels, 12);
    for (size_t count = 0; count <= list.size(); ++count) {
      const std::vector<RankedConfig> shorter = list_of(ranking.kernels, count);
      CHECK(std::equal(shorter.begin(), shorter.end(), list.begin()));
      CHECK(shorter.size() == count);
    }
  }
  CHECK(shortlist({}, 8).empty());
}

TEST_CASE("the list holds unlike configs where the least predictions are alike") {
  for (const char* const shape : kShapes) {
    const Ranking& ranking = ranking_of(shape);
    if (ranking.kernels.size() < 100) continue;
    const auto kinds = [](const std::vector<RankedConfig>& list) {
      std::set<std::string> found;
      for (const RankedConfig& one : list) {
        TileConfig config = one.config;
        config.stages = 0;
        config.raster = {};
        found.insert(to_string(config));
      }
      return found.size();
    };
    const std::vector<RankedConfig> least(ranking.kernels.begin(), ranking.kernels.begin() + 8);
    INFO(shape);
    CHECK(kinds(list_of(ranking.kernels, 8)) >= kinds(least));
    CHECK(kinds(list_of(ranking.kernels, 8)) >= 5);
  }
}

// The law behind the list: where errors are what it takes them for, its fastest is faster than that
// of the least predictions. Errors are drawn here by another generator.
TEST_CASE("under errors that configs share the list reaches more than the least predictions") {
  constexpr PredictionErrors kErrors = {.tile = 0.04, .cluster = 0.05, .own = 0.01};
  // Its six least predictions are one tile, five of them without a cluster.
  const Ranking& ranking = ranking_of("2312x288x3280");
  const std::vector<RankedConfig> list = list_of(ranking.kernels, 6, kErrors);
  const std::vector<RankedConfig> least(ranking.kernels.begin(), ranking.kernels.begin() + 6);
  double gain = 0;
  uint64_t state = 1;
  const auto normal = [&state](const std::string& of) {
    // The sum of twelve uniform numbers, less 6, of a hash of the property and the trial.
    double sum = -6;
    uint64_t z = state * 0x2545F4914F6CDD1DU;
    for (const char c : of) z = (z ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
    for (int i = 0; i < 12; ++i) {
      z ^= z >> 31;
      z *= 0xD6E8FEB86659FD93U;
      z ^= z >> 27;
      sum += static_cast<double>(z >> 11) * 0x1.0p-53;
    }
    return sum;
  };
  const auto least_us = [&](const std::vector<RankedConfig>& configs) {
    double best = 1e30;
    for (const RankedConfig& one : configs) {
      const std::string swapped = one.config.swap_ab ? "swapped" : "";
      const double tile = kErrors.tile * normal(to_string(one.config.cta) + swapped);
      const double cluster = kErrors.cluster * normal("c" + to_string(one.config.cluster));
      const double own = kErrors.own * normal(to_string(one.config));
      best = std::min(best, one.predicted.us * std::exp(tile + cluster + own));
    }
    return best;
  };
  for (state = 1; state <= 400; ++state) gain += std::log(least_us(least) / least_us(list));
  CHECK(gain / 400 > 0.005);
}

}  // namespace
}  // namespace tilewright
