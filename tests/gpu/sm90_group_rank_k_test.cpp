// Groups of rank-k updates against float64, walked as triangles and as whole squares.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "support/group_bench.hpp"
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

int check_updates(const Workload& group, size_t first, size_t stride,
                  const std::vector<Scaling>& scalings) {
  CAPTURE(to_string(group.op));
  CAPTURE(shapes_text(group));
  testing::GroupBench bench(group);
  int checked = 0;
  for (size_t i = first % stride; i < kGroupedUpdateConfigs.size(); i += stride) {
    const TileConfig config = testing::sm90_config(kGroupedUpdateConfigs[i], 3);
    if (reject_workload(group, config, testing::h200())) continue;
    for (const Scaling scaling : scalings) {
      if (scaling != Scaling{} && config.schedule == KernelSchedule::PingPong) continue;
      for (const bool plain : {false, true}) {
        if (plain && (config.cluster != ClusterShape{} || scaling != Scaling{})) continue;
        CAPTURE(to_string(config));
        CAPTURE(plain);
        TileConfig visiting = config;
        if (plain) visiting.visitor = Visitor::Plain;
        const Verification verification = bench.run(visiting, scaling);
        CHECK_MESSAGE(verification.ok, verification.detail);
        ++checked;
      }
    }
  }
  return checked;
}

const std::vector<MatrixOp> kGroupedUpdates = {MatrixOp::Syrk, MatrixOp::Syr2k, MatrixOp::Her2k};

TEST_CASE("groups of updates are right and write nothing outside their triangles") {
  int checked = 0;
  size_t turn = 0;
  for (const MatrixOp op : kGroupedUpdates) {
    for (const Uplo uplo : {Uplo::Lower, Uplo::Upper}) {
      checked += check_updates(
          updates(op, uplo, {{264, 136}, {1, 8}, {0, 64}, {65, 0}, {391, 72}, {128, 200}}), turn, 1,
          {Scaling{}, Scaling{-2, 0.5F}});
      checked +=
          check_updates(updates(op, uplo, {{63, 8}, {129, 8}, {1000, 64}}), turn++, 2, {Scaling{}});
    }
  }
  CHECK(checked > 40);
}

TEST_CASE("mirrored groups of updates are right") {
  size_t turn = 0;
  for (const MatrixOp op : kGroupedUpdates) {
    CHECK(check_updates(updates(op, Uplo::Full, {{264, 136}, {1, 8}, {0, 64}, {65, 0}, {391, 72}}),
                        turn++, 2, {Scaling{}, Scaling{-2, 0.5F}}) > 2);
  }
}

TEST_CASE("random groups of updates are right") {
  std::mt19937 random(41);
  int checked = 0;
  for (size_t i = 0; i < 12; ++i) {
    std::vector<std::pair<int64_t, int64_t>> sizes;
    for (size_t count = 2 + random() % 30; sizes.size() < count;) {
      sizes.emplace_back(random() % 600, 8 * (random() % 40));
    }
    checked += check_updates(updates(testing::pick(kGroupedUpdates, random),
                                     random() % 2 == 0 ? Uplo::Lower : Uplo::Upper, sizes),
                             i, 3, {Scaling{}});
  }
  CHECK(checked > 20);
}

TEST_CASE("the kernel's trace of a group of updates equals the plan, triangles and squares") {
  std::mt19937 random(42);
  int compared = 0;
  for (size_t i = 0; i < 4; ++i) {
    std::vector<std::pair<int64_t, int64_t>> sizes;
    for (int count = 0; count < 12; ++count) sizes.emplace_back(random() % 1500, 136);
    const Workload group =
        updates(kGroupedUpdates[i % 2], i % 2 == 0 ? Uplo::Lower : Uplo::Upper, sizes);
    testing::GroupBench bench(group);
    for (const std::string& text : kGroupedUpdateConfigs) {
      const TileConfig config = testing::sm90_config(text, 3);
      if (reject_workload(group, config, testing::h200())) continue;
      CAPTURE(text);
      CHECK(bench.trace_is_the_plan(config));
      ++compared;
      if (config.cluster != ClusterShape{}) continue;
      TileConfig of_square = config;
      of_square.visitor = Visitor::Plain;
      CHECK(bench.trace_is_the_plan(of_square));
    }
  }
  CHECK(compared > 15);
}

}  // namespace
}  // namespace tilewright
