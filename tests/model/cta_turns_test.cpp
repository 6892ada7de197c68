#include "model/cta_turns.hpp"

#include <doctest/doctest.h>

namespace tilewright {
namespace {

TEST_CASE("the workers of a CTA move sums one after the other; moving nothing takes no time") {
  CtaTurns turns;
  CHECK(move(turns, 10, 3) == 13);
  CHECK(move(turns, 11, 2) == 15);
  CHECK(move(turns, 12, 0) == 12);
  CHECK(move(turns, 20, 1) == 21);
}

TEST_CASE("a waiting worker begins when the other hands over, not before it arrived") {
  CtaTurns turns;
  CHECK(hand_over(turns, 5).worker == -1);
  CHECK(turns.free_us == 5);
  turns.waiting = {1, 6};
  CtaTurns::Waiting next = hand_over(turns, 9);
  CHECK(next.worker == 1);
  CHECK(next.since_us == 9);
  CHECK(turns.waiting.worker == -1);
  turns.waiting = {0, 12};
  next = hand_over(turns, 10);
  CHECK(next.since_us == 12);
}

}  // namespace
}  // namespace tilewright
