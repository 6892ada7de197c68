// Which tuned winner answers in which range of sizes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tile/config/tile_config.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Multiples of `multiple` from `low` to below `high`.
struct SizeRange {
  int64_t low = 0;
  int64_t high = 0;
  int64_t multiple = 1;
  bool operator==(const SizeRange&) const = default;
};

/// A range of products and the config that answers there. A regret is the answer's time over the
/// time of the fastest config in the same rounds, minus 1.
struct Bucket {
  Workload kind;  // without sizes
  SizeRange m, n, k;
  bool by_model = false;  // the model answers, because no winner does as well
  GemmShape from = {};    // else the problem that `choice` was tuned for
  TileConfig choice = {};
  double worst_regret = 0;  // of the trials inside
  double held_out = 0;      // the same with buckets made without the trial; no less
  int64_t trials = 0;
  std::string date;  // of the last trial
  bool operator==(const Bucket&) const = default;
};

/// True if two workloads differ only in their sizes.
bool same_kind(const Workload& a, const Workload& b);

/// The bucket that contains a product, or null.
const Bucket* find_bucket(std::span<const Bucket> buckets, const Workload& workload);

}  // namespace tilewright
