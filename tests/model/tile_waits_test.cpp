#include "model/tile_waits.hpp"

#include <doctest/doctest.h>

namespace tilewright {
namespace {

using Arrival = TileWaits::Arrival;

// Two tiles, of three parts and of two.
const std::vector<TilePart> kParts = {
    {0, 0, 4, 0, 0}, {0, 4, 8, 1, 0}, {0, 8, 12, 2, 0}, {5, 0, 6, 3, 0}, {5, 6, 12, 4, 0}};

TEST_CASE("a split has its position in its tile") {
  const TileWaits waits(kParts, Reduction::Atomic);
  CHECK(waits.role_of(0).first);
  CHECK_FALSE(waits.role_of(0).last);
  CHECK(waits.role_of(2).last);
  CHECK(waits.role_of(1).parts == 3);
  CHECK(waits.role_of(3).first);
  CHECK(waits.role_of(4).parts == 2);
}

TEST_CASE("serial: a split waits for the one below it and continues when that ends") {
  TileWaits waits(kParts, Reduction::Serial);
  CHECK(waits.is_turnstile());
  CHECK(waits.arrive(1, {7, 20}) == Arrival::Waits);
  CHECK(waits.arrive(0, {6, 30}) == Arrival::Proceeds);
  const TileWaits::Waiter woken = waits.finish(0);
  CHECK(woken.worker == 7);
  CHECK(woken.since_us == 20);
  CHECK(waits.finish(1).worker == -1);
  CHECK(waits.arrive(2, {8, 40}) == Arrival::Proceeds);
  // The part before it is missing.
  TileWaits gap(std::vector<TilePart>{{0, 4, 8, 0, 0}}, Reduction::Serial);
  CHECK(gap.arrive(0, {1, 5}) == Arrival::Waits);
}

TEST_CASE("other reductions: no split waits, the last one finishes, or all continue at the last") {
  for (const Reduction reduction : {Reduction::Serial, Reduction::Atomic, Reduction::Workspace,
                                    Reduction::AtomicTma, Reduction::ReduceScatter}) {
    const WaitMode mode = tw::wait_mode_of(reduction);
    if (mode == WaitMode::Previous) continue;
    TileWaits waits(kParts, reduction);
    const Arrival early = waits.arrive(4, {4, 1});
    const Arrival late = waits.arrive(3, {3, 2});
    switch (mode) {
      case WaitMode::None:
        CHECK(early == Arrival::Proceeds);
        CHECK(late == Arrival::Proceeds);
        break;
      case WaitMode::LastArrives:
        CHECK(early == Arrival::Exits);
        CHECK(late == Arrival::Proceeds);
        break;
      default:
        CHECK(early == Arrival::Waits);
        CHECK(late == Arrival::AllProceed);
        REQUIRE(waits.waiters(3).size() == 2);
        CHECK(waits.waiters(3)[0].worker == 4);
        CHECK(waits.waiters(3)[0].since_us == 1);
    }
    CHECK(waits.finish(3).worker == -1);
  }
}

}  // namespace
}  // namespace tilewright
