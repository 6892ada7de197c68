#include "model/ping_pong_state.hpp"

#include <doctest/doctest.h>

namespace tilewright {
namespace {

TEST_CASE("the workers of a CTA move sums one after the other; moving nothing takes no time") {
  PingPongState state;
  CHECK(move(state, 10, 3) == 13);
  CHECK(move(state, 11, 2) == 15);
  CHECK(move(state, 12, 0) == 12);
  CHECK(move(state, 20, 1) == 21);
}

TEST_CASE("a waiting worker begins when the other hands over, not before it arrived") {
  PingPongState state;
  CHECK(hand_over(state, 5).worker == -1);
  CHECK(state.free_us == 5);
  state.waiting = {1, 6};
  PingPongState::Waiting next = hand_over(state, 9);
  CHECK(next.worker == 1);
  CHECK(next.since_us == 9);
  CHECK(state.waiting.worker == -1);
  state.waiting = {0, 12};
  next = hand_over(state, 10);
  CHECK(next.since_us == 12);
}

}  // namespace
}  // namespace tilewright
