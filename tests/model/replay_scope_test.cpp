#include "model/replay_scope.hpp"

#include <doctest/doctest.h>

#include <algorithm>

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

TEST_CASE("the slabs of scaled operands hold the scales of their blocks of K, and all of them") {
  const DeviceSpec device = testing::h200();
  Workload workload{.kind = {.dtype = DataType::E4M3}, .shapes = {{1000, 520, 5000}}};
  workload.kind.epilogue.scale_a = OperandScale::Vector;
  workload.kind.epilogue.scale_b = OperandScale::Block;
  for (const bool swap : {false, true}) {
    TileConfig config = testing::config_with("128x128x128", "1x1");
    config.swap_ab = swap;
    const Plan plan = make_plan(workload, config, device);
    const ReplayScope scope = scope_of(plan, plan, device, ReplayDetail::Fine);
    int64_t bytes = 0;
    for (int panel = 0; panel < scope.panels.count(); ++panel) {
      for (int64_t at = 0; at < scope.depth; at += scope.slab_k) {
        bytes += slab_bytes(scope, panel, std::min(scope.slab_k, scope.depth - at));
      }
    }
    // 40 blocks of K; 520 columns are 5 blocks.
    const int64_t all = 1520 * 5000 + 4 * 40 * (1000 + 5);
    CHECK(bytes >= all);
    CHECK(bytes <= all + scope.panels.count() * scope.steps);
  }
}

TEST_CASE("a tile of a complex update stores two planes") {
  const DeviceSpec device = testing::h200();
  const auto stored_by = [&](const char* op) {
    const Plan plan = testing::plan_of({.problem = "768x768x256", .op = op});
    return stored_bytes(scope_of(plan, plan, device, ReplayDetail::Fine), {1, 0});
  };
  CHECK(stored_by("syr2k") == 128 * 128 * 2);
  CHECK(stored_by("her2k") == 2 * 128 * 128 * 2);
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
