#include "model/fixup.hpp"

#include <doctest/doctest.h>

#include "support/devices.hpp"

namespace tilewright {
namespace {

constexpr TileShape kTile{128, 256, 64};
constexpr double kBytes = 128 * 256 * 4;

FixupCost cost(Reduction reduction, FixupRole role) {
  return fixup_cost(reduction, kTile, testing::h200().join, role);
}

TEST_CASE("serial splits move their tile in order, and the last one stores") {
  const FixupRates rates = testing::h200().join;
  const double move = kBytes / rates.part_bytes_per_us;
  for (const Reduction reduction : {Reduction::Serial, Reduction::SerialTma}) {
    CHECK(tw::wait_mode_of(reduction) == WaitMode::Previous);
    CHECK(cost(reduction, {.first = true}).after_us == doctest::Approx(move));
    CHECK(cost(reduction, {}).after_us == doctest::Approx(rates.sm90_turn_us + move));
    CHECK_FALSE(cost(reduction, {}).stores);
    CHECK(cost(reduction, {.last = true}).stores);
  }
  CHECK(cost(Reduction::InPlace, {.first = true}).after_us == 0);
  CHECK(cost(Reduction::InPlace, {.first = true}).stores);
  CHECK(cost(Reduction::InPlace, {.last = true}).after_us ==
        doctest::Approx(rates.sm90_turn_us + move / 2));
  CHECK_FALSE(cost(Reduction::InPlace, {.last = true}).stores);
}

TEST_CASE("a part that TMA adds takes longer by as much, in turn or not") {
  const FixupRates rates = testing::h200().join;
  CHECK(rates.bulk_us > 0);
  const auto before = [](Reduction reduction) { return cost(reduction, {}).before_us; };
  CHECK(before(Reduction::SerialTma) == doctest::Approx(rates.bulk_us));
  CHECK(before(Reduction::InPlace) == doctest::Approx(rates.bulk_us));
  CHECK(before(Reduction::Serial) == 0);
  CHECK(before(Reduction::AtomicTma) - before(Reduction::Atomic) == doctest::Approx(rates.bulk_us));
}

TEST_CASE("splits that move at the same time share the device's bandwidth") {
  const FixupRates rates = testing::h200().join;
  for (const Reduction reduction :
       {Reduction::Atomic, Reduction::AtomicTma, Reduction::Workspace, Reduction::ReduceScatter}) {
    const double alone = reduction == Reduction::AtomicTma ? rates.bulk_us : 0;
    const double one = cost(reduction, {.active = 1}).before_us - alone;
    CHECK(one > 0);
    CHECK(cost(reduction, {.active = 132}).before_us - alone == doctest::Approx(132 * one));
  }
  CHECK(cost(Reduction::Workspace, {.active = 10}).before_us ==
        doctest::Approx(10 * kBytes / rates.workspace_bytes_per_us));
  CHECK(tw::wait_mode_of(Reduction::Atomic) == WaitMode::LastArrives);
  CHECK(tw::wait_mode_of(Reduction::Workspace) == WaitMode::None);
  CHECK(tw::wait_mode_of(Reduction::ReduceScatter) == WaitMode::All);
  CHECK(tw::wait_mode_of(Reduction::Cluster) == WaitMode::All);
}

TEST_CASE("the parts of a tile finish it once") {
  CHECK(cost(Reduction::Serial, {.last = true, .parts = 4}).finished == 1);
  CHECK(cost(Reduction::Atomic, {.last = true, .parts = 4}).finished == 1);
  CHECK(cost(Reduction::ReduceScatter, {.parts = 4}).finished == 0.25);
  CHECK(cost(Reduction::Cluster, {.parts = 4}).finished == 0.25);
  // The second kernel does.
  CHECK(cost(Reduction::Workspace, {.parts = 4}).finished == 0);
}

TEST_CASE("a cluster's CTA moves less than a tile of sums, and more with more splits") {
  const FixupRates rates = testing::h200().join;
  double before = 0;
  for (const int64_t parts : {2, 4, 8, 16}) {
    const double moved =
        cost(Reduction::Cluster, {.parts = parts}).after_us - rates.cluster_meet_us;
    CHECK(moved > before);
    CHECK(moved < kBytes / rates.cluster_bytes_per_us);
    before = moved;
  }
}

TEST_CASE("the second kernel takes its launch and its bytes' time; other reductions have none") {
  const FixupRates rates = testing::h200().join;
  CHECK(second_kernel_us(Reduction::Serial, 100, kTile, rates) == 0);
  CHECK(second_kernel_us(Reduction::Workspace, 0, kTile, rates) == 0);
  CHECK(second_kernel_us(Reduction::Workspace, 100, kTile, rates) ==
        doctest::Approx(rates.second_kernel_us + 100 * kBytes / rates.workspace_bytes_per_us));
}

}  // namespace
}  // namespace tilewright
