// Groups of rank-k updates against float64, walked as triangles and as whole squares.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "support/group_trials.hpp"
#include "support/random_configs.hpp"
#include "support/sm90_configs.hpp"

namespace tilewright {
namespace {

const std::vector<std::string> kGroupedUpdateConfigs = {
    "cta=128x128x64,raster=row,group_schedule=device-only",
    "cta=128x128x64,raster=row,group_schedule=dynamic,problem_order=lpt",
    "cta=192x96x64,raster=swizzle-merge:1,group_schedule=host-precompute,problem_order=lpt",
    "cta=128x96x64,cluster=2x1,raster=swizzle-merge:1,group_schedule=dynamic",
    "cta=64x96x64,raster=swizzle-merge:1,group_schedule=device-only,problem_order=k-descending",
    "cta=64x64x64,schedule=pingpong,raster=row,group_schedule=host-precompute"};

Workload updates(MatrixOp op, Uplo uplo, const std::vector<std::pair<int64_t, int64_t>>& sizes) {
  Workload group;
  group.op = op;
  group.uplo = uplo;
  for (const auto& [n, k] : sizes) group.shapes.push_back({n, n, k});
  return group;
}

// The config, and the same on the whole square where it may.
std::vector<TileConfig> of_triangle_and_square(const TileConfig& config) {
  if (config.cluster != ClusterShape{}) return {config};
  TileConfig of_square = config;
  of_square.visitor = Visitor::Plain;
  return {config, of_square};
}

// Every `stride`-th config from `first` on: with every scaling on the triangle, without on the
// square.
testing::GroupTrial updates_trial(const Workload& group, size_t first, size_t stride,
                                  const std::vector<Scaling>& scalings = {Scaling{}}) {
  testing::GroupTrial trial{group, {}};
  for (size_t i = first % stride; i < kGroupedUpdateConfigs.size(); i += stride) {
    const TileConfig config = testing::sm90_config(kGroupedUpdateConfigs[i], 3);
    if (reject_workload(group, config, testing::h200())) continue;
    for (const TileConfig& visiting : of_triangle_and_square(config)) {
      const bool is_square = visiting.visitor == Visitor::Plain;
      const std::vector<Scaling> unscaled = {Scaling{}};
      const auto launches = testing::launches_of({visiting}, is_square ? unscaled : scalings);
      trial.launches.insert(trial.launches.end(), launches.begin(), launches.end());
    }
  }
  return trial;
}

const std::vector<MatrixOp> kGroupedUpdates = {MatrixOp::Syrk, MatrixOp::Syr2k, MatrixOp::Her2k};

TEST_CASE("groups of updates are right and write nothing outside their triangles") {
  std::vector<testing::GroupTrial> trials;
  size_t turn = 0;
  for (const MatrixOp op : kGroupedUpdates) {
    for (const Uplo uplo : {Uplo::Lower, Uplo::Upper}) {
      trials.push_back(updates_trial(
          updates(op, uplo, {{264, 136}, {1, 8}, {0, 64}, {65, 0}, {391, 72}, {128, 200}}), turn, 1,
          {Scaling{}, Scaling{-2, 0.5F}}));
      trials.push_back(
          updates_trial(updates(op, uplo, {{63, 8}, {129, 8}, {1000, 64}}), turn++, 2));
    }
  }
  CHECK(testing::check_group_trials(trials) > 40);
}

TEST_CASE("mirrored groups of updates are right") {
  std::vector<testing::GroupTrial> trials;
  for (const MatrixOp op : kGroupedUpdates) {
    trials.push_back(
        updates_trial(updates(op, Uplo::Full, {{264, 136}, {1, 8}, {0, 64}, {65, 0}, {391, 72}}),
                      trials.size(), 2, {Scaling{}, Scaling{-2, 0.5F}}));
    CHECK(trials.back().launches.size() > 2);
  }
  testing::check_group_trials(trials);
}

TEST_CASE("random groups of updates are right") {
  std::mt19937 random(41);
  std::vector<testing::GroupTrial> trials;
  for (size_t i = 0; i < 12; ++i) {
    std::vector<std::pair<int64_t, int64_t>> sizes;
    for (size_t count = 2 + random() % 30; sizes.size() < count;) {
      sizes.emplace_back(random() % 600, 8 * (random() % 40));
    }
    trials.push_back(updates_trial(updates(testing::pick(kGroupedUpdates, random),
                                           random() % 2 == 0 ? Uplo::Lower : Uplo::Upper, sizes),
                                   i, 3));
  }
  CHECK(testing::check_group_trials(trials) > 20);
}

TEST_CASE("the kernel's trace of a group of updates equals the plan, triangles and squares") {
  std::mt19937 random(42);
  std::vector<testing::GroupTrial> trials;
  for (size_t i = 0; i < 4; ++i) {
    std::vector<std::pair<int64_t, int64_t>> sizes;
    for (int count = 0; count < 12; ++count) sizes.emplace_back(random() % 1500, 136);
    const Workload group =
        updates(kGroupedUpdates[i % 2], i % 2 == 0 ? Uplo::Lower : Uplo::Upper, sizes);
    trials.push_back(updates_trial(group, 0, 1));
  }
  CHECK(testing::check_group_traces(trials) > 30);
}

}  // namespace
}  // namespace tilewright
