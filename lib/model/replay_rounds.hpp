// Reads and writes of a replay's rounds, both the walked and the extrapolated ones.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "model/l2_replay.hpp"
#include "model/replay_scope.hpp"
#include "model/replay_worker.hpp"

namespace tilewright {

struct ReplayRounds {
  std::vector<WaveTraffic> waves;
  int64_t tiles = 0;
  int64_t written_bytes = 0;  // by tiles whose last part is among them
};

/// Counts the pieces of a scope while they are dealt; both arguments outlive it.
class RoundCounter {
 public:
  RoundCounter(const ReplayScope& scope, ReplayRounds& rounds) : scope_(scope), rounds_(rounds) {}

  /// Counts the worker's last piece.
  void add(const ReplayWorker& worker);

 private:
  void add_distinct(const ReplayWorker& worker);
  bool is_distinct(const ReplayWorker& worker, int panel);

  const ReplayScope& scope_;
  ReplayRounds& rounds_;
  // By side, panel and GPC: the last round in which the GPC read the panel. They hold the panels up
  // to the last one read, because a replay may read few of a long side.
  std::array<std::vector<int>, 2> last_rounds_;
  // The same for parts of the first round, by GPC, panel and first element of K.
  std::unordered_set<int64_t> first_parts_;
};

/// Sets the rounds' DRAM reads, and scales the walked part of K to all of K.
void add_misses(const ReplayScope& scope, const std::vector<double>& missed_bytes,
                ReplayRounds& rounds);

/// Adds the rounds that are not walked: they repeat the later half of the walked ones.
void add_later_rounds(const ReplayScope& scope, ReplayRounds& rounds);

}  // namespace tilewright
