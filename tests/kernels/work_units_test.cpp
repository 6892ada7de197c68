// The walk that kernels take their units from, against the host's schedules.
#include "work_units.cuh"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "tile/schedule.hpp"
#include "tile/work_plan.hpp"

namespace tilewright {
namespace {

// What the workers of a launch compute, by the kernels' walk.
template <tw::Division D>
std::vector<std::vector<WorkTile>> walked(const TileConfig& config, const GemmShape& shape,
                                          int workers) {
  const tw::WorkPlan plan = work_plan(shape, config, workers);
  const TileCoord grid = cluster_grid(shape, config);
  std::vector<std::vector<WorkTile>> lists(static_cast<size_t>(workers));
  for (int worker = 0; worker < workers; ++worker) {
    tw::UnitWalk<D> walk(plan, worker, workers);
    for (tw::WorkUnit unit; walk.next(unit);) {
      const TileCoord tile = tw::tile_at<int>(cluster_raster(config), grid, unit.slot);
      if (!tw::is_inside(grid, tile)) continue;
      lists[static_cast<size_t>(worker)].push_back({0, tile.m, tile.n, unit.k.begin, unit.k.end});
    }
  }
  return lists;
}

std::vector<std::vector<WorkTile>> walked_by_device(const TileConfig& config,
                                                    const GemmShape& shape, int workers) {
  switch (config.decomposition.index()) {
    case 1: return walked<tw::Division::SplitK>(config, shape, workers);
    case 2: return walked<tw::Division::StreamK>(config, shape, workers);
    default: return walked<tw::Division::None>(config, shape, workers);
  }
}

// A sweep of grids, depths, workers and decompositions; visit(shape, workers, config).
template <class Visit>
void for_each_launch(const Visit& visit) {
  for (const char* const decomposition : {"data-parallel", "split-k:2", "split-k:3", "split-k:16",
                                          "stream-k", "stream-k:one-tile", "stream-k:all"}) {
    for (const char* const raster : {"row", "swizzle-merge:2", "split-merge:3"}) {
      for (const int m : {1, 2, 5}) {
        for (const int n : {1, 3, 4}) {
          for (const int k_steps : {1, 2, 7, 16, 33}) {
            for (const int workers : {1, 2, 5, 6, 13, 32}) {
              const TileConfig config{.cta = {64, 64, 64},
                                      .cluster = {},
                                      .raster = parse_raster(raster),
                                      .decomposition = parse_decomposition(decomposition)};
              visit(GemmShape{m * 64, n * 64, k_steps * 64}, workers, config);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("kernels take the units of the host's schedule, in its order") {
  for_each_launch([](const GemmShape& shape, int workers, const TileConfig& config) {
    const int used = static_cast<int>(worker_count(shape, config, workers));
    const ScheduleRequest request{.problem = {.shapes = {shape}},
                                  .cta = config.cta,
                                  .cluster = {},
                                  .raster = config.raster,
                                  .decomposition = config.decomposition,
                                  .ctas = used};
    CAPTURE(to_string(shape));
    CAPTURE(to_string(config));
    CAPTURE(used);
    CHECK(walked_by_device(config, shape, used) == assignments(make_schedule(request)));
  });
}

// Each k-step of each slot once; parts numbered in the order of k, all of one number of parts; no
// two streamed parts in one place.
TEST_CASE("the parts of a slot are numbered in the order of k and have places of their own") {
  for_each_launch([](const GemmShape& shape, int workers, const TileConfig& config) {
    if (!std::holds_alternative<StreamK>(config.decomposition)) return;
    const tw::WorkPlan plan = work_plan(shape, config, workers);
    std::vector<std::vector<tw::WorkUnit>> of_slot(static_cast<size_t>(plan.slots));
    std::vector<int> places;
    for (int worker = 0; worker < workers; ++worker) {
      tw::UnitWalk<tw::Division::StreamK> walk(plan, worker, workers);
      int64_t taken = 0;
      for (tw::WorkUnit unit; walk.next(unit); ++taken) {
        of_slot[static_cast<size_t>(unit.slot)].push_back(unit);
        if (unit.parts > 1) places.push_back(tw::streamed_part_place(worker, unit.part));
        if (unit.parts > 1) {
          CHECK(tw::streaming_workers(plan, workers, unit.slot).begin + unit.part == worker);
        }
      }
      CHECK(taken <= most_units(plan, config, workers));
    }
    for (std::vector<tw::WorkUnit>& units : of_slot) {
      std::sort(units.begin(), units.end(),
                [](const auto& a, const auto& b) { return a.k.begin < b.k.begin; });
      int step = 0;
      for (size_t i = 0; i < units.size(); ++i) {
        CHECK(units[i].part == static_cast<int>(i));
        CHECK(units[i].parts == static_cast<int>(units.size()));
        CHECK(units[i].k.begin == step);
        CHECK(units[i].k.size() > 0);
        step = units[i].k.end;
      }
      CHECK(step == plan.k_steps);
    }
    std::sort(places.begin(), places.end());
    CHECK(std::adjacent_find(places.begin(), places.end()) == places.end());
    CHECK((places.empty() || places.back() < 2 * workers));
  });
}

TEST_CASE("share_holding is the inverse of even_share") {
  for (int parts = 1; parts < 20; ++parts) {
    for (int total = parts; total < 60; ++total) {
      for (int part = 0; part < parts; ++part) {
        const tw::Span<int> share = tw::even_share(total, parts, part);
        for (int at = share.begin; at < share.end; ++at) {
          CHECK(tw::share_holding(total, parts, at) == part);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tilewright
