#include "model/replay_scope.hpp"

#include <doctest/doctest.h>

#include "base/text.hpp"
#include "support/plans.hpp"

namespace tilewright {
namespace {

TEST_CASE("only a product too large to replay is cut to a corner of whole tiles") {
  const DeviceSpec device = testing::h200();
  CHECK_FALSE(corner_of(testing::plan_of({.problem = "8192x8192x65536"}), device).has_value());
  const auto corner = corner_of(
      testing::plan_of({.problem = "40000000x300x2000000", .decomposition = "split-k:2"}), device);
  REQUIRE(corner.has_value());
  const GemmShape& shape = corner->problems.front().shape;
  CHECK(shape.m == (int64_t{1} << 18) * 128);
  CHECK(shape.n == 300);
  CHECK(shape.k == int64_t{1} << 20);
  CHECK(std::holds_alternative<DataParallel>(corner->config.decomposition));
}

TEST_CASE("the steps of a tile cover its depth; a coarse replay has fewer") {
  const DeviceSpec device = testing::h200();
  for (const char* const problem : {"300x200x8", "1000x1000x1000", "512x512x70000"}) {
    const Plan plan = testing::plan_of({.problem = problem});
    const ReplayScope fine = scope_of(plan, plan, device, ReplayDetail::Fine);
    const ReplayScope coarse = scope_of(plan, plan, device, ReplayDetail::Coarse);
    for (const ReplayScope& scope : {fine, coarse}) {
      CHECK(scope.slab_k >= kReplaySlabK);
      CHECK(scope.steps * scope.slab_k >= scope.depth);
      CHECK((scope.steps - 1) * scope.slab_k < scope.depth);
    }
    CHECK(coarse.steps <= fine.steps);
    CHECK(coarse.rounds <= fine.rounds);
  }
}

TEST_CASE("operands whose lines are evicted first are replayed stage by stage") {
  const DeviceSpec device = testing::h200();
  const auto slab_of = [&](bool evicts_first, ReplayDetail detail) {
    Plan plan = testing::plan_of({.problem = "512x512x4096"});
    plan.config.evict_first.b = evicts_first;
    return scope_of(plan, plan, device, detail).slab_k;
  };
  CHECK(slab_of(true, ReplayDetail::Fine) == 64);
  CHECK(slab_of(false, ReplayDetail::Fine) == kReplaySlabK);
  CHECK(slab_of(true, ReplayDetail::Coarse) >= kReplaySlabK);
}

TEST_CASE("rows of K cross lines where they are not whole lines apart") {
  const DeviceSpec device = testing::h200();
  for (const int64_t k : {4096, 4032, 4040, 4048, 4100}) {
    const Plan plan = testing::plan_of({.problem = format("512x512x{}", k)});
    const ReplayScope scope = scope_of(plan, plan, device, ReplayDetail::Fine);
    // Copies of operands that TMA cannot address, as of 4100, pad rows to lines.
    CHECK(crosses_lines(scope, 0) == (k == 4040 || k == 4048));
    CHECK(crosses_lines(scope, scope.panels.column(0)) == (k == 4040 || k == 4048));
  }
}

TEST_CASE("a fine replay divides tiles as the plan does, a coarse one replays them whole") {
  const DeviceSpec device = testing::h200();
  const Plan plan = testing::plan_of({.problem = "512x512x4096", .decomposition = "split-k:4"});
  CHECK(scope_of(plan, plan, device, ReplayDetail::Fine).in_parts);
  CHECK_FALSE(scope_of(plan, plan, device, ReplayDetail::Coarse).in_parts);
  CHECK(is_divided(scope_of(plan, plan, device, ReplayDetail::Coarse)));
}

}  // namespace
}  // namespace tilewright
