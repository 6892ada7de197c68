// Code that takes a plan takes the plans of every family: all families, types, layouts,
// decompositions and reductions that are legal at odd shapes, for products, groups and rank-k
// updates.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "draw/assignment_grids.hpp"
#include "gate/gate_static.hpp"
#include "model/estimate.hpp"
#include "model/l2_replay.hpp"
#include "model/timeline.hpp"
#include "search/choice.hpp"
#include "search/rank.hpp"
#include "search/space.hpp"
#include "support/decompositions.hpp"
#include "support/devices.hpp"
#include "tile/plan/legality.hpp"
#include "tile/plan/partial_store.hpp"
#include "tile/plan/schedule_proof.hpp"
#include "tile/plan/schedule_report.hpp"

namespace tilewright {
namespace {

std::vector<Workload> odd_workloads() {
  std::vector<Workload> workloads;
  const auto add = [&workloads](MatrixOp op, const char* shapes, DataType dtype = DataType::BF16,
                                MatrixLayout layout = MatrixLayout::TN) -> Workload& {
    workloads.push_back(
        {.op = op, .kind = {.dtype = dtype, .layout = layout}, .shapes = parse_shapes(shapes, op)});
    return workloads.back();
  };
  for (const char* const shape :
       {"8x512x16384", "4x768x32768", "301x517x8191", "256x256x4096", "1x24x136", "40x1000x520"}) {
    add(MatrixOp::Gemm, shape);
    add(MatrixOp::Gemm, shape, DataType::F16).kind.epilogue.bias = true;
    for (const MatrixLayout layout : {MatrixLayout::NN, MatrixLayout::NT, MatrixLayout::TT}) {
      add(MatrixOp::Gemm, shape, DataType::BF16, layout).kind.epilogue.out_dtype = DataType::F32;
    }
    add(MatrixOp::Gemm, shape, DataType::E4M3);
  }
  for (const char* const group :
       {"300x1024x512,0x1024x512,9x1024x512", "64x64x320,64x64x0,64x64x64",
        "300x1024x8192,256x256x256,1x8x0"}) {
    add(MatrixOp::Gemm, group);
    add(MatrixOp::Gemm, group, DataType::F16, MatrixLayout::NT).kind.epilogue.out_dtype =
        DataType::F32;
  }
  for (const MatrixOp op : {MatrixOp::Syrk, MatrixOp::Syr2k, MatrixOp::Her2k}) {
    for (const Uplo uplo : {Uplo::Lower, Uplo::Upper, Uplo::Full}) {
      add(op, "520x520x128").uplo = uplo;
      add(op, "264x264x64,136x136x320").uplo = uplo;
    }
  }
  return workloads;
}

// Sets the most stages that are legal.
bool is_legal_at_some_depth(const Workload& workload, TileConfig& config) {
  for (const int stages : {6, 4, 3, 2, 1}) {
    config.stages = stages;
    if (!reject_workload(workload, config, testing::h200())) return true;
  }
  return false;
}

// Some tiles of the family's space, each with the most stages that are legal, undivided and divided
// with every reduction.
std::vector<TileConfig> configs_of(const Workload& workload, const SearchSpace& space) {
  constexpr size_t kTiles = 9;
  static const std::vector<std::string> divided = testing::decompositions_with_every_reduction(
      {"split-k:2", "split-k:5", "stream-k", "stream-k:all"});
  std::vector<std::string> ways = {"data-parallel"};
  ways.insert(ways.end(), divided.begin(), divided.end());
  constexpr const char* kRasters[] = {"row", "swizzle-merge:2", "hilbert", "col"};
  constexpr GroupSchedule kSchedules[] = {GroupSchedule::DeviceOnly, GroupSchedule::HostPrecompute,
                                          GroupSchedule::Dynamic};
  const std::vector<TileConfig> tiles = tiles_of(space, workload.kind.dtype);
  std::vector<TileConfig> configs;
  for (size_t t = 0; t < kTiles; ++t) {
    for (const std::string& way : ways) {
      TileConfig config = tiles[(t * tiles.size() + tiles.size() / 2) / kTiles];
      config.decomposition = parse_decomposition(way);
      if (way.ends_with(":cluster")) {
        config.cluster = {};
        config.schedule = KernelSchedule::Cooperative;
      }
      const bool bands = is_triangular(workload) || space.family == Family::Skinny;
      config.raster = parse_raster(bands ? "row" : kRasters[configs.size() % 4]);
      if (is_group(workload)) {
        config.group_schedule = kSchedules[way == "data-parallel" ? t % 3 : 1];
      }
      if (is_legal_at_some_depth(workload, config)) {
        configs.push_back(config);
        continue;
      }
      config.raster = {};
      if (is_legal_at_some_depth(workload, config)) configs.push_back(config);
    }
  }
  return configs;
}

// The end, in bytes, of the workspace that the family's kernel addresses, by the arithmetic of
// kernels/.
int64_t end_of_sums(const Plan& plan) {
  const TileConfig& c = plan.config;
  const int64_t tile = int64_t{c.cta.m} * c.cta.n * 4;
  const tw::ProblemWork<int64_t>& work = plan.problems.front().work;
  if (c.family == Family::Sm80 && plan.reduction == Reduction::Serial) {
    return work.slots * tile;  // own_partials() of the last slot
  }
  const GemmShape& s = plan.problems.front().shape;
  const int64_t matrix = s.m * s.n * 4;
  // store_slice() and store_tile() of the last slice; sm80's second kernel reads four sums at once.
  const int64_t stride = c.family == Family::Sm80 ? (s.m * s.n + 3) / 4 * 16 : matrix;
  return (work.slices - 1) * stride + stride;
}

void check_store(const Plan& plan) {
  const PartialStore store = partial_store(plan);
  if (std::holds_alternative<DataParallel>(plan.config.decomposition)) {
    CHECK(store == PartialStore{});
    return;
  }
  if (plan.config.family == Family::Sm90) return;  // partial_store_test.cpp
  CHECK(store.bytes == end_of_sums(plan));
  const bool counts = plan.config.family == Family::Skinny || plan.reduction == Reduction::Serial;
  CHECK(store.tickets == (counts ? plan.problems.front().work.slots : 0));
  CHECK_FALSE(store.zeroed);
}

void check_price(const Plan& plan) {
  const DeviceSpec& device = testing::h200();
  const double us = estimate(plan, device).us;
  CHECK(std::isfinite(us));
  CHECK(us > 0);
  const Timeline timeline = predict_timeline(plan, device);
  CHECK(timeline.completed);
  CHECK(timeline.us == doctest::Approx(us).epsilon(1e-3));
  if (plan.problems.size() > 1) return;
  for (const ReplayDetail detail : {ReplayDetail::Fine, ReplayDetail::Coarse}) {
    const L2Traffic traffic = replay_l2(plan, device, detail);
    CHECK(std::isfinite(traffic.dram_read_bytes));
    CHECK(traffic.slots ==
          plan.problems.front().work.slots * plan.config.cluster.m * plan.config.cluster.n);
  }
  const std::vector<RankedConfig> ranked =
      rank_rasters(plan.workload, plan.config, {plan.config.raster}, device);
  CHECK(ranked.front().config == plan.config);
}

void check_walk(const Plan& plan) {
  require_walkable(plan);
  const ScheduleReport report = report_schedule(plan);
  CHECK(report.proof.complete);
  CHECK(report.turnstiles.ends);
  CHECK(report.exchanges.ends);
  CHECK(prove_schedule(plan) == report.proof);
  CHECK(dealt_units(plan).size() == static_cast<size_t>(report.units));
  CHECK(exact_numbers(plan.workload, plan.config, testing::h200()).complete == true);
  CHECK(output_roundings(plan) >= 1);
  const bool streams = std::holds_alternative<StreamK>(plan.config.decomposition);
  if (!streams && plan.cluster_k() == 1) CHECK(longest_part(plan) <= report.k_steps.max);
  if (plan.problems.size() == 1) {
    CHECK(launch_work(plan).slots == plan.problems.front().work.slots);
    const int64_t ctas = std::min<int64_t>(4, plan.launched_workers * plan.cluster_size);
    CHECK(first_units(plan, ctas).size() == static_cast<size_t>(ctas));
  } else if (plan.config.group_schedule == GroupSchedule::HostPrecompute) {
    CHECK(schedule_table(plan).entry_count() == plan.units);
  }
}

void check_choice(const Plan& plan) {
  const ConfigComplexity complexity = complexity_of(plan.workload, plan.config, testing::h200());
  CHECK(complexity.workspace_bytes == partial_store(plan).bytes);
  CHECK(complexity.config == to_string(plan.config));
}

TEST_CASE("every function on plans accepts every family and every decomposition") {
  std::map<Family, std::set<std::string>> ways;
  int64_t count = 0;
  for (const Workload& workload : odd_workloads()) {
    if (reject_workload_kind(workload)) continue;
    for (const SearchSpace& space : all_spaces()) {
      for (const TileConfig& config : configs_of(workload, space)) {
        CAPTURE(to_string(workload));
        CAPTURE(to_string(config));
        const Plan plan = make_plan(workload, config, testing::h200());
        CHECK_FALSE(reject_plan(plan, testing::h200()).has_value());
        check_store(plan);
        check_price(plan);
        check_walk(plan);
        check_choice(plan);
        ways[config.family].insert(
            std::string(tw::record_of(reduction_of(config.decomposition)).name));
        ++count;
      }
    }
  }
  MESSAGE("checked ", count, " plans");
  CHECK(count > 400);
  CHECK(ways[Family::Sm90].size() == std::size(tw::kReductions));
  CHECK(ways[Family::Sm80] == std::set<std::string>{"serial", "workspace"});
  CHECK(ways[Family::Skinny].count("workspace") == 1);
}

}  // namespace
}  // namespace tilewright
