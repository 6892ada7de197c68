#include "map/packed_rows.cuh"

#include <doctest/doctest.h>

#include <vector>

#include "base/math.hpp"
#include "base/text.hpp"
#include "stats/random.hpp"
#include "support/plans.hpp"
#include "tile/config/raster.hpp"
#include "tile/plan/partial_store.hpp"

namespace tilewright {
namespace {

// Slots of one problem must be those of a launch of it alone.
template <tw::RasterFamily F>
void check_family(const char* name) {
  const Raster raster = parse_raster(name);
  REQUIRE(tw::family_of(raster) == F);
  const std::vector<int> offsets = {0, 0, 1, 128, 256, 385, 1385, 1385, 1385};
  for (const bool swap_ab : {false, true}) {
    for (const int cluster_rows : {64, 128, 256, 48}) {
      const tw::PackedShape shape{.clusters = {7, 5},
                                  .cluster_rows = cluster_rows,
                                  .swap_ab = swap_ab,
                                  .k_steps = 9,
                                  .slices = cluster_rows == 48 ? 3 : 1};
      const tw::PackedRows<F> packed{offsets.data(), raster, shape};
      for (int problem = 0; problem + 1 < static_cast<int>(offsets.size()); ++problem) {
        CAPTURE(problem);
        const auto at = static_cast<size_t>(problem);
        const int rows = offsets[at + 1] - offsets[at];
        const int along = ceil_div(rows, cluster_rows);
        const TileCoord grid = swap_ab ? TileCoord{7, along} : TileCoord{along, 5};
        CHECK(packed.clusters_of(rows) == grid);
        const tw::ProblemWork<int> work = packed[problem];
        CHECK(work.slots == (rows == 0 ? 0 : tw::slot_count<int>(raster, grid)));
        CHECK(work.k_steps == 9);
        CHECK(work.slices == shape.slices);
      }
    }
  }
}

TEST_CASE("with a first offset of 0, the kernel reads only the ends of the problems") {
  const std::vector<int> ends = {0, 100, 101, 101, 613, 640};
  std::vector<int> offsets = {0};
  offsets.insert(offsets.end(), ends.begin(), ends.end());
  std::vector<int> poisoned = offsets;
  poisoned.front() = 1 << 20;
  using Whole = tw::PackedRows<tw::RasterFamily::Plain>;
  using FromZero = tw::PackedRows<tw::RasterFamily::Plain, int, true>;
  const tw::PackedShape shape{.clusters = {0, 3}, .cluster_rows = 128, .k_steps = 4};
  const Whole whole{offsets.data(), parse_raster("row"), shape};
  const FromZero from_zero{poisoned.data(), parse_raster("row"), shape};
  for (int problem = 0; problem < static_cast<int>(ends.size()); ++problem) {
    CHECK(from_zero.rows(problem) == whole.rows(problem));
    CHECK(from_zero[problem] == whole[problem]);
  }
}

TEST_CASE("a packed problem has the slots of its own rows, for rasters of every family") {
  for (const char* const raster : {"row", "col", "swizzle-merge:4", "split-merge:3@n"}) {
    check_family<tw::RasterFamily::Plain>(raster);
  }
  for (const char* const raster : {"split-merge:2x3", "swizzle-merge:4,2@n"}) {
    check_family<tw::RasterFamily::Factors>(raster);
  }
  for (const char* const raster : {"triton:4", "snake:3", "cutlass3:4", "cutlass-dsl:2@n"}) {
    check_family<tw::RasterFamily::Groups>(raster);
  }
  for (const char* const raster : {"hilbert", "morton"}) {
    check_family<tw::RasterFamily::Curves>(raster);
  }
}

// The walk of a kernel has the offsets only, without the number of units.
TEST_CASE("workers that read only the row offsets take every slot once") {
  const std::vector<int> offsets = {0, 0, 100, 101, 101, 613, 640, 640};
  const tw::PackedShape shape{.clusters = {0, 3}, .cluster_rows = 128, .k_steps = 4};
  using Packed = tw::PackedRows<tw::RasterFamily::Plain>;
  using Finder = tw::UnitFinder<true, int, Packed>;
  constexpr tw::WalkKind kWalk{.division = tw::Division::None, .grouped = true};
  const auto problems = static_cast<int>(offsets.size()) - 1;
  const Packed packed{offsets.data(), parse_raster("col"), shape};
  const tw::GroupWork<int, Packed> work{
      .problems = packed, .problem_count = problems, .unit_count = 0x7FFFFFFF};
  for (const int workers : {1, 5, 132}) {
    std::vector<std::vector<int>> taken(offsets.size());
    for (int worker = 0; worker < workers; ++worker) {
      tw::UnitWalk<kWalk, int, Finder> walk(work, worker, workers);
      for (tw::WorkUnit<int> unit; walk.next(unit);) {
        CHECK(unit.k == tw::Span<int>{0, 4});
        auto& of_problem = taken[static_cast<size_t>(unit.problem)];
        of_problem.resize(static_cast<size_t>(packed[unit.problem].slots));
        ++of_problem.at(static_cast<size_t>(unit.slot));
      }
    }
    const std::vector<size_t> slots = {0, 3, 3, 0, 12, 3, 0, 0};
    for (size_t problem = 0; problem < taken.size(); ++problem) {
      CHECK(taken[problem] == std::vector<int>(slots[problem], 1));
    }
  }
}

// Reads every worker's entries as a kernel of packed rows does.
void check_parts(const Plan& plan) {
  using Packed = tw::PackedRows<tw::RasterFamily::Plain>;
  std::vector<int> offsets = {0};
  for (const GemmShape& shape : plan.workload.shapes) {
    offsets.push_back(offsets.back() + static_cast<int>(shape.m));
  }
  const PlannedProblem& any = plan.problems.front();
  const Packed packed{offsets.data(),
                      plan.config.raster,
                      {.clusters = any.map.clusters,
                       .cluster_rows = plan.config.cta.m,
                       .k_steps = any.work.k_steps,
                       .slices = any.work.slices}};
  const std::vector<int> before = divided_slots_before(plan);
  const std::vector<std::vector<WorkTile>> planned = assignments(plan);
  const ScheduleTable table = schedule_table(plan);
  std::vector<int> parts_of_sum(static_cast<size_t>(partial_store(plan).tiles));
  for (size_t worker = 0; worker < table.of_worker.size(); ++worker) {
    std::vector<WorkTile> found;
    for (const tw::TableEntry& entry : table.of_worker[worker]) {
      const int problem = plan.order[static_cast<size_t>(entry.problem)];
      const auto unit = tw::table_unit<tw::Division::SplitK, int>(packed, {problem, entry.unit});
      const TileCoord grid = packed.clusters_of(packed.rows(problem).size());
      const TileCoord tile =
          tw::family_tile_at<tw::RasterFamily::Plain>(packed.raster, grid, unit.slot);
      if (!tw::is_inside(grid, tile)) continue;
      found.push_back({problem, tile.m, tile.n, unit.k.begin, unit.k.end});
      const int sum = before[static_cast<size_t>(problem)] + unit.slot;
      if (unit.parts > 1) ++parts_of_sum.at(static_cast<size_t>(sum));
    }
    CHECK(found == planned[worker]);
  }
  for (const int parts : parts_of_sum) CHECK((parts == 0 || parts == any.work.slices));
}

TEST_CASE("by the host's table the parts of random packed rows and batches are the plan's") {
  Random random(5);
  int divided = 0;
  for (int i = 0; i < 400; ++i) {
    std::string problem;
    const std::string shared = format("x{}x{}", 8 * (1 + random.below(60)), 8 + random.below(900));
    for (size_t p = 0, count = 2 + random.below(5); p < count; ++p) {
      problem += format("{}{}{}", p == 0 ? "" : ",", random.below(400), shared);
    }
    if (i % 2 == 0)
      problem = format("{}x{}{}", 2 + random.below(20), 1 + random.below(300), shared);
    const std::string decomposition =
        format("split-k:{}:{}", 2 + random.below(12), random.below(2) == 0 ? "serial" : "atomic");
    constexpr const char* kRasters[] = {"row", "col", "swizzle-merge:2", "split-merge:3@n"};
    constexpr const char* kOrders[] = {"given", "k-descending", "lpt"};
    const Plan plan = testing::plan_of({.problem = problem,
                                        .cta = "64x64x64",
                                        .ctas = static_cast<int64_t>(1 + random.below(140)),
                                        .raster = kRasters[random.below(4)],
                                        .decomposition = decomposition,
                                        .group_schedule = "host-precompute",
                                        .order = kOrders[random.below(3)]});
    CAPTURE(problem);
    CAPTURE(to_string(plan.config));
    REQUIRE(packing_of(plan.workload) == Packing::Rows);
    check_parts(plan);
    divided += plan.problems.front().work.slices > 1 ? 1 : 0;
  }
  CHECK(divided > 300);
}

}  // namespace
}  // namespace tilewright
