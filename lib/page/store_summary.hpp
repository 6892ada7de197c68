// The selection of a store's records for a page: there are too many for all, and most are single
// launches.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "page/heat_map.hpp"
#include "record/document.hpp"
#include "stats/sample.hpp"
#include "store/record_store.hpp"

namespace tilewright {

/// Most problems of a page, the first ones; most configs of all problems together, an equal share
/// of the fastest for each; and most configs of one problem.
inline constexpr size_t kMaxStoredProblems = 1000;
inline constexpr size_t kMaxStoredConfigs = 1000;
inline constexpr size_t kMaxConfigsOfOne = 20;

/// `us` is the median over the `launches` of the config's first race.
struct TimedConfig {
  std::string config;
  std::string tile;    // CTA tile; empty for a foreign kernel
  std::string raster;  // raster; empty for a foreign kernel
  double us = 0;
  size_t launches = 0;
  std::optional<double> predicted_us = std::nullopt;  // set where the device has a preset
};

/// The records of one problem on one GPU.
struct StoredProblem {
  Workload problem;
  std::string device;  // name and UUID of the GPU
  size_t built = 0;    // number of configs
  size_t timed = 0;
  size_t launches = 0;               // of all configs
  std::vector<TimedConfig> fastest;  // ascending in time
  HeatMap heat;                      // all timed configs, by tile and raster
  // The reference library's time over the answer's.
  std::optional<PairedRatio> ratio = std::nullopt;
};

struct StoreSummary {
  size_t runs = 0;
  size_t records = 0;
  size_t problems = 0;  // summed over the GPUs
  std::vector<StoredProblem> shown;
};

StoreSummary summary_of(const RecordStore& store);

/// Sentences that explain which records the page leaves out.
std::string summary_rule(const StoreSummary& summary);

/// `runs`, `records`, `rule` and `problems`. Each problem has its own keys, `device`, `built`,
/// `timed`, `launches`, `ratio` and `fastest`, a list of `config`, `us`, `launches` and
/// `predicted_us`.
Document to_document(const StoreSummary& summary);

}  // namespace tilewright
