// What a CTA's workers, ping-pong's warpgroups, do one after the other: main loops, and moving sums
// and tiles.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tilewright {

/// Microseconds.
struct CtaTurns {
  /// A worker whose turn comes behind the main loop of another one.
  struct Waiting {
    int64_t worker = -1;
    double since_us = 0;
  };
  int64_t begun = 0;     // main loops
  double free_us = 0;    // for the next one
  double moved_us = 0;   // for whoever moves next
  Waiting waiting = {};  // for the one after next
};

/// Returns when so much is moved: behind what the CTA moved before.
inline double move(CtaTurns& turns, double us, double length_us) {
  if (length_us == 0) return us;
  turns.moved_us = std::max(us, turns.moved_us) + length_us;
  return turns.moved_us;
}

/// The next main loop may begin then: returns by whom, and when, if a worker waits for that.
inline CtaTurns::Waiting hand_over(CtaTurns& turns, double free_us) {
  turns.free_us = free_us;
  const CtaTurns::Waiting next{turns.waiting.worker, std::max(turns.waiting.since_us, free_us)};
  turns.waiting = {};
  return next;
}

}  // namespace tilewright
