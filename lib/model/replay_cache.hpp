// Replays that several kernels share, each made once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "model/l2_replay.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// The fine replays of one kind of product on one device. Kernels share a replay that have the same
/// tile, cluster, raster, evictions and CTAs at once; the stages, the schedule, the L2 promotion
/// and a group's schedule may differ.
class ReplayCache {
 public:
  explicit ReplayCache(const DeviceSpec& device) : device_(device) {}
  /// The replay of a plan of one product without a given mapping; the result stays valid.
  const L2Traffic& replay(const Plan& plan);

 private:
  using Key = std::tuple<std::string, int64_t, int64_t, int64_t, int64_t>;
  const DeviceSpec& device_;
  std::map<Key, L2Traffic> known_;  // by mapping, sizes, and CTAs at once
};

}  // namespace tilewright
