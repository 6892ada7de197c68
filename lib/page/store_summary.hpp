// What a page says of a store: its records are too many, and most are single launches.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "page/heat_map.hpp"
#include "stats/sample.hpp"
#include "store/document.hpp"
#include "store/record_store.hpp"

namespace tilewright {

/// Problems that a page has of a store, the first ones; the configs of all together, the fastest of
/// each problem, evenly; and the most of one.
inline constexpr size_t kMostStoredProblems = 1000;
inline constexpr size_t kMostStoredConfigs = 1000;
inline constexpr size_t kMostConfigsOfOne = 20;

/// `us`: the median of the config's first race, which has so many launches.
struct TimedConfig {
  std::string config;
  std::string tile;    // of a CTA; empty for a foreign kernel
  std::string raster;  // likewise
  double us = 0;
  size_t launches = 0;
  std::optional<double> predicted_us = std::nullopt;  // where its device has a preset
};

/// One problem on one GPU.
struct StoredProblem {
  Workload problem;
  std::string device;  // the GPU's name and its UUID
  size_t built = 0;    // configs
  size_t timed = 0;
  size_t launches = 0;                              // of all configs
  std::vector<TimedConfig> fastest;                 // rising
  HeatMap heat;                                     // of all that are timed, by tile and raster
  std::optional<PairedRatio> ratio = std::nullopt;  // the answer's, to the reference library
};

struct StoreSummary {
  size_t runs = 0;
  size_t records = 0;
  size_t problems = 0;  // on each GPU
  std::vector<StoredProblem> shown;
};

StoreSummary summary_of(const RecordStore& store);

/// What is left out, in sentences.
std::string summary_rule(const StoreSummary& summary);

/// `runs`, `records`, `rule` and `problems`: of each the problem's keys, `device`, `built`,
/// `timed`, `launches`, `ratio`, and `fastest`, a list of `config`, `us`, `launches` and
/// `predicted_us`.
Document to_document(const StoreSummary& summary);

}  // namespace tilewright
