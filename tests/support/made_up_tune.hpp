// A store that no GPU wrote, for what reads one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "store/device_preset.hpp"
#include "store/record_store.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright::testing {

/// Races of tiles with rasters, and what is expected of them.
struct MadeUpTune {
  RecordStore store;
  std::map<std::pair<std::string, std::string>, double> first_least;  // of the first problem
  size_t records = 0;
};

/// Tiles with rasters.
inline std::vector<TileConfig> made_up_configs(size_t count) {
  std::vector<TileConfig> configs;
  for (const char* const raster : {"row", "col", "swizzle-merge:2", "swizzle-merge:8", "hilbert"}) {
    for (const char* const cta :
         {"64x64x64", "128x128x64", "128x256x64", "64x256x64", "256x128x64", "64x128x64",
          "128x64x64", "64x96x64", "128x96x64", "128x192x64", "64x192x64", "192x96x64"}) {
      if (configs.size() == count) return configs;
      TileConfig config;
      config.cta = parse_tile(cta);
      config.stages = 2;
      config.raster = parse_raster(raster);
      configs.push_back(config);
    }
  }
  return configs;
}

/// `rounds` is odd, or 0: nothing is timed.
inline MadeUpTune made_up_tune(size_t problems, size_t configs, int64_t rounds) {
  std::mt19937_64 random(7);
  MadeUpTune made;
  StoredRun& run = made.store.runs.emplace_back();
  run.head.run = "made-up";
  run.head.device_uuid = "GPU-1";
  run.head.device = fingerprint(load_device_preset("h200"), false);
  const std::vector<TileConfig> all = made_up_configs(configs);
  for (size_t i = 0; i < problems; ++i) {
    Workload problem;
    problem.shapes = {{512, 512, 64 + 8 * static_cast<int64_t>(i)}};
    run.records.emplace_back(ProblemRecord{problem, {}});
    for (const TileConfig& config : all) {
      run.records.emplace_back(BuildRecord{to_string(config), {}});
    }
    std::map<std::string, std::vector<double>> times;
    // The second race is a confirmation, which counts for nothing.
    for (int64_t race = 0; race < (rounds == 0 ? 0 : 2); ++race) {
      for (int64_t round = 0; round < (race == 0 ? rounds : 1); ++round) {
        for (const TileConfig& config : all) {
          const double us = 10 + static_cast<double>(random() % 1000) / 100;
          if (race == 0) times[to_string(config)].push_back(us);
          const LaunchTime time{.us = race == 0 ? us : 1.0};
          run.records.emplace_back(RoundRecord{race, round, {{to_string(config), time}}});
        }
      }
      run.records.emplace_back(RaceRecord{race});
    }
    if (i > 0 || rounds == 0) continue;
    for (const TileConfig& config : all) {
      std::vector<double>& us = times[to_string(config)];
      std::sort(us.begin(), us.end());
      const double middle = us[us.size() / 2];  // of an odd number of rounds
      const std::pair place(to_string(config.cta), to_string(config.raster));
      const auto known = made.first_least.emplace(place, middle).first;
      known->second = std::min(known->second, middle);
    }
  }
  made.records = run.records.size();
  return made;
}

}  // namespace tilewright::testing
