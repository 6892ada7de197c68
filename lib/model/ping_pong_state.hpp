// What a CTA's workers (ping-pong's warpgroups) do one at a time: main loops, and moves of sums and
// tiles.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tilewright {

/// Times in microseconds.
struct PingPongState {
  /// A worker that waits for the main loop of another one.
  struct Waiting {
    int64_t worker = -1;
    double since_us = 0;
  };
  int64_t begun = 0;     // main loops
  double free_us = 0;    // begin of the next main loop
  double moved_us = 0;   // begin of the next move
  Waiting waiting = {};  // for the main loop before its own
};

/// Returns the end of a move that is ready at `us` and starts after the CTA's earlier moves.
inline double move(PingPongState& state, double us, double length_us) {
  if (length_us == 0) return us;
  state.moved_us = std::max(us, state.moved_us) + length_us;
  return state.moved_us;
}

/// Lets the next main loop begin at `free_us`. Returns the worker that waits for it and when it
/// begins; worker -1 if none waits.
inline PingPongState::Waiting hand_over(PingPongState& state, double free_us) {
  state.free_us = free_us;
  const PingPongState::Waiting next{state.waiting.worker,
                                    std::max(state.waiting.since_us, free_us)};
  state.waiting = {};
  return next;
}

}  // namespace tilewright
