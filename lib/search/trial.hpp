// How winners of other products do at a product that was not tuned.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/origin.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// A product that was measured but not tuned: winners of other products and the model's own best,
/// all in the same rounds.
struct Trial {
  struct Time {
    TileConfig config;
    double us = 0;
    bool operator==(const Time&) const = default;
  };
  Workload problem;
  std::string date;      // "2026-11-23"
  int64_t rounds = 0;    // 0: as many as a store has
  TileConfig predicted;  // the model's answer, one of `times`
  std::vector<Time> times;
  std::optional<Origin> origin = {};  // absent in files from before it was recorded
  bool operator==(const Trial&) const = default;
};

}  // namespace tilewright
