// The short list of a race: the few configs among which the fastest one most likely is.
//
// Configs that share a property err together: those of one family by parts of a microsecond, those
// of one tile by a share of their time. The k least predictions are mostly one tile with other
// stages, and miss together; a race should see unlike configs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tile/config/tile_config.hpp"

namespace tilewright {

/// A config and its predicted time in microseconds.
struct PricedConfig {
  TileConfig config;
  double us = 0;
  bool operator==(const PricedConfig&) const = default;
};

/// Standard deviations of measured from predicted times that the configs of one product share by a
/// property: in microseconds, or of the logarithm of their ratio.
struct PredictionErrors {
  double family_us = 0;
  double reduction_us = 0;  // how parts of K are joined, or that tiles are whole
  double tile = 0;          // of a family, for A and B as they are or swapped
  double schedule = 0;
  double division = 0;  // the decomposition
  double cluster = 0;
  double own = 0;  // what no two configs share
  bool operator==(const PredictionErrors&) const = default;
};

/// Rounded between the fits to either half of the products of tests/data/random_h100.csv and
/// few_rows_h100.csv and of 34 products of random sizes on an H200.
inline constexpr PredictionErrors kKnownErrors = {.family_us = 0.7,
                                                  .reduction_us = 0.5,
                                                  .tile = 0.02,
                                                  .schedule = 0.025,
                                                  .division = 0.03,
                                                  .cluster = 0.03,
                                                  .own = 0.04};

/// The indices of up to `count` configs, in the order in which they join the list: the first one,
/// then always the one that most lowers the expected time of the fastest in the list, over draws of
/// `errors` from fixed seeds. Configs out of the errors' reach do not join. Equal input gives the
/// equal list.
std::vector<size_t> shortlist(std::span<const PricedConfig> configs, size_t count,
                              const PredictionErrors& errors = kKnownErrors);

}  // namespace tilewright
