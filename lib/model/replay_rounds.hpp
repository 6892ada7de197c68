// What the rounds of a replay read and write, those that it walks and those that it leaves.
#pragma once

#include <cstdint>
#include <vector>

#include "model/l2_replay.hpp"
#include "model/replay_scope.hpp"
#include "model/replay_worker.hpp"

namespace tilewright {

struct ReplayRounds {
  std::vector<WaveTraffic> waves;
  int64_t tiles = 0;
  int64_t written_bytes = 0;  // of tiles that come whole
};

/// Counts the pieces of a scope while they are dealt; both arguments outlive it.
class RoundTally {
 public:
  RoundTally(const ReplayScope& scope, ReplayRounds& rounds);

  /// The worker's last piece.
  void add(const ReplayWorker& worker);

 private:
  void add_whole(const ReplayWorker& worker);

  const ReplayScope& scope_;
  ReplayRounds& rounds_;
  std::vector<int> last_rounds_;  // by group and line: in which a cluster of it read the line
};

/// Adds what DRAM gave by round, and lets what was walked of K stand for all of it.
void add_misses(const ReplayScope& scope, const std::vector<double>& missed_bytes,
                ReplayRounds& rounds);

/// Adds the rounds that are not walked: they go on like the later half of those that are.
void add_later_rounds(const ReplayScope& scope, ReplayRounds& rounds);

}  // namespace tilewright
