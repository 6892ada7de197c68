// Which tuned winner answers in which range of sizes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tile/config/tile_config.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Sizes from `low` to below `high` that are multiples.
struct SizeRange {
  int64_t low = 0;
  int64_t high = 0;
  int64_t multiple = 1;
  bool operator==(const SizeRange&) const = default;
};

/// A range of products and who answers there. A regret is the answer's time over that of the
/// fastest config in the same rounds, less 1.
struct Bucket {
  Workload kind;  // without sizes
  SizeRange m, n, k;
  bool by_model = false;  // the model answers, for no winner does as well
  GemmShape from = {};    // else whose winner
  TileConfig choice = {};
  double worst_regret = 0;  // of the trials inside
  double held_out = 0;      // no less: the worst, if buckets of the other trials answer each
  int64_t trials = 0;
  std::string date;  // of the last of them
  bool operator==(const Bucket&) const = default;
};

/// True where two workloads differ in their sizes alone.
bool same_kind(const Workload& a, const Workload& b);

/// The bucket that a product is in, or null.
const Bucket* find_bucket(std::span<const Bucket> buckets, const Workload& workload);

}  // namespace tilewright
