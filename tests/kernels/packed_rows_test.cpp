#include "map/packed_rows.cuh"

#include <doctest/doctest.h>

#include <vector>

#include "base/math.hpp"
#include "tile/config/raster.hpp"

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
      const tw::PackedShape shape{
          .clusters = {7, 5}, .cluster_rows = cluster_rows, .swap_ab = swap_ab, .k_steps = 9};
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
        CHECK(work.slices == 1);
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

}  // namespace
}  // namespace tilewright
