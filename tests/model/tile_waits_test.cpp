#include "model/tile_waits.hpp"

#include <doctest/doctest.h>

namespace tilewright {
namespace {

using Arrival = TileWaits::Arrival;

// Two tiles, of three parts and of two.
const std::vector<TilePart> kParts = {
    {0, 0, 4, 0, 0}, {0, 4, 8, 1, 0}, {0, 8, 12, 2, 0}, {5, 0, 6, 3, 0}, {5, 6, 12, 4, 0}};

TEST_CASE("a split has its position in its tile") {
  const TileWaits meetings(kParts, Reduction::Atomic);
  CHECK(meetings.role_of(0).first);
  CHECK_FALSE(meetings.role_of(0).last);
  CHECK(meetings.role_of(2).last);
  CHECK(meetings.role_of(1).parts == 3);
  CHECK(meetings.role_of(3).first);
  CHECK(meetings.role_of(4).parts == 2);
}

TEST_CASE("serial: a split waits for the one below it and continues when that ends") {
  TileWaits meetings(kParts, Reduction::Serial);
  CHECK(meetings.in_turns());
  CHECK(meetings.arrive(1, {7, 20}) == Arrival::Waits);
  CHECK(meetings.arrive(0, {6, 30}) == Arrival::Joins);
  const TileWaits::Member woken = meetings.finish(0);
  CHECK(woken.worker == 7);
  CHECK(woken.since_us == 20);
  CHECK(meetings.finish(1).worker == -1);
  CHECK(meetings.arrive(2, {8, 40}) == Arrival::Joins);
  // The part before it is missing.
  TileWaits gap(std::vector<TilePart>{{0, 4, 8, 0, 0}}, Reduction::Serial);
  CHECK(gap.arrive(0, {1, 5}) == Arrival::Waits);
}

TEST_CASE("other reductions: no split waits, the last one finishes, or all continue at the last") {
  for (const Reduction reduction : {Reduction::Serial, Reduction::Atomic, Reduction::Workspace,
                                    Reduction::AtomicTma, Reduction::ReduceScatter}) {
    const WaitMode meeting = tw::wait_mode_of(reduction);
    if (meeting == WaitMode::Previous) continue;
    TileWaits meetings(kParts, reduction);
    const Arrival early = meetings.arrive(4, {4, 1});
    const Arrival late = meetings.arrive(3, {3, 2});
    switch (meeting) {
      case WaitMode::None:
        CHECK(early == Arrival::Joins);
        CHECK(late == Arrival::Joins);
        break;
      case WaitMode::LastArrives:
        CHECK(early == Arrival::Leaves);
        CHECK(late == Arrival::Joins);
        break;
      default:
        CHECK(early == Arrival::Waits);
        CHECK(late == Arrival::AllJoin);
        REQUIRE(meetings.members(3).size() == 2);
        CHECK(meetings.members(3)[0].worker == 4);
        CHECK(meetings.members(3)[0].since_us == 1);
    }
    CHECK(meetings.finish(3).worker == -1);
  }
}

}  // namespace
}  // namespace tilewright
