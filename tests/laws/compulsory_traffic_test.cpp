// Predicted DRAM traffic is at least compulsory: a launch reads every operand and writes every
// output once. The bytes are counted here from sizes alone.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/estimate.hpp"
#include "model/price.hpp"
#include "search/space.hpp"
#include "store/device_preset.hpp"
#include "support/devices.hpp"
#include "support/random_cases.hpp"
#include "support/random_configs.hpp"
#include "support/random_workloads.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

using testing::pick;

struct Compulsory {
  double read = 0;
  double written = 0;
};

double size_of(DataType type) {
  switch (type) {
    case DataType::E4M3:
    case DataType::E5M2: return 1;
    case DataType::BF16:
    case DataType::F16: return 2;
    case DataType::F32: return 4;
  }
  return 0;
}

double blocks(double extent) {
  return std::ceil(extent / 128);
}

// Factors of an operand of `lines` lines.
double scale_count(OperandScale scale, double lines, double k) {
  switch (scale) {
    case OperandScale::None: return 0;
    case OperandScale::Tensor: return 1;
    case OperandScale::Line: return lines;
    case OperandScale::Vector:
    case OperandScale::VectorAlongK: return lines * blocks(k);
    case OperandScale::Block:
    case OperandScale::BlockPadded: return blocks(lines) * blocks(k);
  }
  return 0;
}

Compulsory compulsory_of(const Workload& w, const GemmShape& shape) {
  if (shape.m == 0 || shape.n == 0) return {};
  const auto m = static_cast<double>(shape.m);
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  const Epilogue& e = w.kind.epilogue;
  const bool triangle = w.op != MatrixOp::Gemm;
  const double planes = w.op == MatrixOp::Her2k ? 2 : 1;
  const double sums = planes * (triangle ? n * (n + 1) / 2 : m * n);
  double stored = triangle && w.uplo == Uplo::Full ? planes * n * n : sums;
  using A = Activation;
  for (const A gated : {A::Swiglu, A::Geglu, A::GegluErf}) {
    if (e.activation == gated) stored = m * n / 2;
  }
  // 16-bit types have C and the bias in their own, 8-bit ones in bf16.
  const double addends = (e.beta != 0 ? sums : 0) + (e.bias ? n : 0) + (e.row_bias ? m : 0);
  const double input = size_of(w.kind.dtype);
  const double output = e.out_dtype ? size_of(*e.out_dtype) : 2;
  const double factors = scale_count(e.scale_a, m, k) + scale_count(e.scale_b, n, k);
  return {.read = planes * (w.op == MatrixOp::Syrk ? m * k : (m + n) * k) * input + 2 * addends +
                  4 * factors + (e.scale_d ? 4 : 0),
          .written = stored * output + (e.absmax ? 4 : 0)};
}

// Operands, and what a group's kernel needs to find them: four tensor maps and three sizes a
// product, or its first row, and an entry of two numbers for each unit of a table; for parts also
// the number of the product's first divided tile.
Compulsory compulsory_of(const Plan& plan) {
  Compulsory all;
  for (const GemmShape& shape : plan.workload.shapes) {
    const Compulsory own = compulsory_of(plan.workload, shape);
    all.read += own.read;
    all.written += own.written;
  }
  if (!is_group(plan.workload)) return all;
  const auto products = static_cast<double>(plan.workload.shapes.size());
  const bool packed = !has_per_problem_shapes(plan.workload);
  all.read += products * (packed ? 4 : 4 * 128 + 3 * 4);
  if (plan.config.group_schedule == GroupSchedule::HostPrecompute) {
    all.read += 2.0 * 4 * static_cast<double>(schedule_table(plan).entry_count());
    const bool divided = !std::holds_alternative<DataParallel>(plan.config.decomposition);
    if (packed && divided && plan.cluster_k() == 1) all.read += 4 * products;
  }
  return all;
}

void check(const Plan& plan, const DeviceSpec& device) {
  CAPTURE(full_text(plan.workload));
  CAPTURE(to_string(plan.config));
  CAPTURE(device.sm_count);
  const Compulsory least = compulsory_of(plan);
  constexpr double kRounding = 1e-12;
  for (const ReplayDetail detail : {ReplayDetail::Fine, ReplayDetail::Coarse}) {
    const Estimate e = price_of(plan, device, detail).totals;
    CHECK(e.dram_read_bytes >= least.read * (1 - kRounding));
    CHECK(e.dram_write_bytes >= least.written * (1 - kRounding));
  }
}

TileConfig random_config(const Workload& w, std::mt19937& random) {
  const char* const decompositions[] = {
      "split-k:2",        "split-k:3:serial-tma",     "split-k:4:workspace",
      "split-k:2:atomic", "split-k:5:reduce-scatter", "split-k:4:cluster",
      "stream-k",         "stream-k:workspace",       "stream-k:one-tile:atomic"};
  const char* const rasters[] = {"row",           "col",     "swizzle-merge:4", "swizzle-merge:2@n",
                                 "split-merge:3", "hilbert", "snake:4"};
  constexpr int kRows[] = {64, 128, 192, 256};
  constexpr int kColumns[] = {16, 64, 80, 128, 256};
  constexpr ClusterShape kClusters[] = {{1, 1}, {1, 1}, {2, 1}, {1, 2}};
  TileConfig config;
  config.cta = {pick(kRows, random), pick(kColumns, random), size_of(w.kind.dtype) == 1 ? 128 : 64};
  config.cluster = pick(kClusters, random);
  config.stages = 3;
  config.raster = parse_raster(pick(rasters, random));
  if (random() % 2 == 0) config.decomposition = parse_decomposition(pick(decompositions, random));
  config.group_schedule = static_cast<GroupSchedule>(random() % 3);
  config.swap_ab = random() % 4 == 0;
  config.evict_first = {.a = random() % 6 == 0, .b = random() % 6 == 0};
  if (random() % 4 == 0) config.schedule = KernelSchedule::PingPong;
  if (w.op != MatrixOp::Gemm) config.raster = {};
  return config;
}

TEST_CASE("predicted reads and writes are at least compulsory, of random workloads and configs") {
  const testing::RandomCases cases = testing::random_cases("TILEWRIGHT_RANDOM_TRAFFIC", 1500);
  std::mt19937 random(static_cast<uint32_t>(cases.seed));
  const DeviceSpec presets[] = {testing::h200(), load_device_preset("h100")};
  int priced = 0;
  for (int i = 0; i < cases.count; ++i) {
    const Workload workload = testing::random_workload(random);
    const TileConfig config = random_config(workload, random);
    DeviceSpec device = pick(presets, random);
    if (random() % 2 == 0) device.sm_count = 2 + static_cast<int>(random() % 40);
    if (random() % 3 == 0) device.l2_effective_bytes >>= random() % 8;
    try {
      check(make_plan(workload, config, device), device);
      ++priced;
    } catch (const Error& error) {
      // Some configs contradict themselves, or the workload.
      CHECK(error.code() == ExitCode::Usage);
    }
  }
  CHECK(priced > cases.count / 2);
}

TEST_CASE("so are those of every family's legal configs") {
  std::mt19937 random(7);
  const DeviceSpec device = testing::h200();
  for (const SearchSpace& space : all_spaces()) {
    int priced = 0;
    for (int i = 0; i < 40; ++i) {
      const Problem problem = testing::random_problem(i % 2 == 0 ? 3000 : 32, random);
      for (const TileConfig& config : testing::random_legal_configs(problem, space, 4, random)) {
        check(make_plan(problem, config, device), device);
        ++priced;
      }
    }
    CAPTURE(to_string(space.family));
    CHECK(priced > 0);
  }
}

// Of 128 x 128 or 1 x 128 elements of e5m2, scales are 1/4096 or 1/32 of an operand.
TEST_CASE("golden: block scales are among the reads") {
  const DeviceSpec device = testing::h200();
  Problem problem{{2376, 4096, 2064}, {.dtype = DataType::E5M2}};
  const TileConfig config{
      .cta = {128, 128, 128}, .cluster = {1, 1}, .stages = 4, .raster = parse_raster("row")};
  const double plain = estimate(problem, config, device).dram_read_bytes;
  CHECK(plain == 2376.0 * 2064 + 4096.0 * 2064);
  problem.kind.epilogue.scale_a = OperandScale::Vector;
  problem.kind.epilogue.scale_b = OperandScale::Vector;
  const double scaled = estimate(problem, config, device).dram_read_bytes;
  CHECK(scaled >= 13'798'304);
  CHECK(scaled == doctest::Approx(13'798'304).epsilon(1e-4));
}

}  // namespace
}  // namespace tilewright
