#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "model/estimate.hpp"
#include "search/rank.hpp"
#include "search/space.hpp"
#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

TileConfig square_tile(ClusterShape cluster) {
  return {.cta = {128, 128, 64}, .cluster = cluster, .stages = 6, .raster = {}};
}

std::vector<Decomposition> divisions_of(const char* shape, ClusterShape cluster = {}) {
  return divisions_for(workload_of({parse_shape(shape)}), square_tile(cluster), testing::h200());
}

bool has(const std::vector<Decomposition>& divisions, const char* text) {
  return std::find(divisions.begin(), divisions.end(), parse_decomposition(text)) !=
         divisions.end();
}

TEST_CASE("grids that fill half of the device are not divided, nor are short main loops") {
  CHECK(divisions_of("4096x4096x4096").empty());
  CHECK(divisions_of("1152x1024x65536").empty());  // 72 tiles
  CHECK(divisions_of("256x256x256").empty());
  CHECK(!divisions_of("1024x1024x32768").empty());  // 64 tiles
}

TEST_CASE("slices fill the device in one wave, and serial reductions stay short") {
  for (const char* const shape :
       {"128x128x65536", "256x256x65536", "512x512x16384", "1024x1024x32768", "300x1000x8192"}) {
    for (const ClusterShape cluster : {ClusterShape{1, 1}, {2, 1}}) {
      const Problem problem{parse_shape(shape)};
      TileConfig config = square_tile(cluster);
      for (const Decomposition& division :
           divisions_for(workload_of(problem), config, testing::h200())) {
        CAPTURE(shape);
        CAPTURE(to_string(division));
        config.decomposition = division;
        const auto& split = std::get<SplitK>(division);
        const int64_t ctas = count_problem(workload_of(problem), problem.shape, config).work.slots *
                             cluster.m * cluster.n * int64_t{split.slices};
        CHECK(ctas <= testing::h200().sm_count);
        CHECK(ctas > testing::h200().sm_count / 4);
        if (is_turnstile(split.reduction)) CHECK(split.slices <= 4);
      }
    }
  }
}

TEST_CASE("narrow tiles are divided too") {
  const TileConfig config = config_of(parse_config("cta=64x32x64,stages=12,swap_ab=true"));
  const auto divisions =
      divisions_for(workload_of({parse_shape("32x4096x14336")}), config, testing::h200());
  CHECK(has(divisions, "split-k:2:serial"));
}

TEST_CASE("few slices are reduced serially, many by atomics, pairs in a cluster") {
  CHECK(has(divisions_of("1024x1024x32768"), "split-k:2:serial"));
  CHECK(has(divisions_of("1024x1024x32768"), "split-k:2:cluster"));
  CHECK(!has(divisions_of("1024x1024x32768"), "split-k:2:atomic"));
  CHECK(has(divisions_of("256x256x65536", {2, 1}), "split-k:33:atomic"));
  CHECK(has(divisions_of("256x256x65536", {2, 1}), "split-k:33:workspace"));
  CHECK(!has(divisions_of("256x256x65536"), "split-k:33:serial"));
}

// The model's order of configs measured on an H200: a turnstile loses time with each of its parts.
TEST_CASE("tall problems are ranked divided first, square ones are not") {
  const auto best = [](const char* shape) {
    return rank(workload_of({parse_shape(shape)}), {sm90_space()}, testing::h200())
        .kernels.front()
        .config;
  };
  for (const char* const shape : {"256x256x65536", "512x512x16384", "128x128x65536"}) {
    CAPTURE(shape);
    CHECK(!std::holds_alternative<DataParallel>(best(shape).decomposition));
  }
  CHECK(std::holds_alternative<DataParallel>(best("4096x4096x4096").decomposition));
}

TEST_CASE("a reduction costs time per split if serial, and little otherwise") {
  const Problem problem{{512, 512, 16384}};
  // Main loops are as long and as many as for any other reduction.
  const auto us = [&](const char* decomposition) {
    TileConfig config = square_tile({});
    config.decomposition = parse_decomposition(decomposition);
    return estimate(problem, config, testing::h200()).us;
  };
  CHECK(us("split-k:8:serial") > us("split-k:8:workspace") + 5);
  CHECK(us("split-k:8:serial") > us("split-k:8:atomic") + 5);
  // What TMA adds to a part is paid once, not in every turn.
  CHECK(us("split-k:8:serial-tma") ==
        doctest::Approx(us("split-k:8:serial") + testing::h200().join.bulk_us));
  CHECK(us("split-k:4:cluster") < us("split-k:4:serial"));
}

// One product deeper than the others; no two products share two extents.
Workload deep_group(std::mt19937& random) {
  const auto extent = [&random](int most) {
    return int64_t{8} * std::uniform_int_distribution<int>(1, most / 8)(random);
  };
  Workload group;
  for (size_t products = 2 + random() % 8; products > 0; --products) {
    group.shapes.push_back({extent(1500), extent(1500), extent(1024)});
  }
  GemmShape& deep = group.shapes[random() % group.shapes.size()];
  deep.k = extent(100'000);
  return group;
}

// K-steps per CTA if all CTAs had equally many, over the work of a plan of whole tiles.
double mean_steps(const Workload& group, TileConfig config) {
  config.decomposition = DataParallel{};
  const Plan plan = make_plan(group, config, testing::h200());
  double steps = 0;
  for (const std::vector<WorkTile>& of_cta : assignments(plan)) {
    for (const WorkTile& work : of_cta) steps += work.k_end - work.k_begin;
  }
  return steps / static_cast<double>(plan.ctas());
}

TEST_CASE("divided tiles of a group are legal, take about a CTA's share of time, and pay") {
  std::mt19937 random(4);
  std::set<int> slices_seen;
  for (int i = 0; i < 80; ++i) {
    const Workload group = deep_group(random);
    CAPTURE(shapes_text(group));
    TileConfig config = square_tile(i % 2 == 0 ? ClusterShape{1, 1} : ClusterShape{1, 2});
    if (i % 3 == 0) config.cta = {64, 96, 64};
    const double mean = mean_steps(group, config);
    const auto whole = static_cast<double>(longest_part(make_plan(group, config, testing::h200())));
    const std::vector<Decomposition> divisions = divisions_for(group, config, testing::h200());
    if (whole < 1.5 * mean) CHECK(divisions.empty());
    if (whole > 3 * mean && whole > 16) CHECK(!divisions.empty());
    config.group_schedule = GroupSchedule::HostPrecompute;
    for (const Decomposition& division : divisions) {
      CAPTURE(to_string(division));
      config.decomposition = division;
      CHECK_FALSE(reject_workload(group, config, testing::h200()));
      const auto& split = std::get<SplitK>(division);
      slices_seen.insert(split.slices);
      const auto part =
          static_cast<double>(longest_part(make_plan(group, config, testing::h200())));
      CHECK(part >= 4);
      CHECK(part >= 0.5 * mean);
      CHECK(part <= whole / 2 + 1);
      if (is_turnstile(split.reduction)) CHECK(split.slices <= 16);
    }
  }
  CHECK(slices_seen.size() > 8);
}

TEST_CASE("packed groups are divided like others, ping-pong is not") {
  const auto divisions = [](std::vector<GemmShape> shapes, MatrixLayout layout,
                            KernelSchedule schedule = KernelSchedule::Cooperative) {
    TileConfig config = square_tile({});
    config.schedule = schedule;
    return divisions_for(Workload{.kind = {.layout = layout}, .shapes = std::move(shapes)}, config,
                         testing::h200());
  };
  const std::vector<GemmShape> rows = {{512, 512, 32768}, {8, 512, 32768}};
  const std::vector<GemmShape> depths = {{512, 512, 32768}, {512, 512, 64}};
  CHECK(!divisions(rows, MatrixLayout::TN).empty());
  CHECK(divisions(rows, MatrixLayout::TN) == divisions(rows, MatrixLayout::NN));
  CHECK(!divisions(depths, MatrixLayout::NT).empty());
  CHECK(divisions(depths, MatrixLayout::NT) == divisions(depths, MatrixLayout::TN));
  CHECK(divisions(depths, MatrixLayout::TN, KernelSchedule::PingPong).empty());
}

}  // namespace
}  // namespace tilewright
