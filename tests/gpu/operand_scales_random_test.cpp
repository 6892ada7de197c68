// Random products and groups with scales and epilogues against float64: random sizes, kinds and
// legal configs of every family, as many as the options ask for (--trials=N, --seconds=S,
// --rand-seed=R).
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/math.hpp"
#include "base/text.hpp"
#include "search/space.hpp"
#include "support/group_bench.hpp"
#include "support/model_sample.hpp"
#include "support/random_configs.hpp"
#include "support/sm90_configs.hpp"
#include "support/trial_count.hpp"
#include "support/trials.hpp"

namespace tilewright {
namespace {

constexpr size_t kBatch = 48;          // products whose kernels are compiled at once
constexpr size_t kShapesOfKernel = 3;  // a config computes products of several sizes
constexpr int kDraws = 400;

// Half of the kinds have operands of 8 bits, of which most have scales.
ProductKind random_kind(std::mt19937& random) {
  constexpr DataType kTypes[] = {DataType::E4M3, DataType::E4M3, DataType::BF16, DataType::F16};
  constexpr MatrixLayout kLayouts[] = {MatrixLayout::TN, MatrixLayout::NN, MatrixLayout::NT,
                                       MatrixLayout::TT};
  ProductKind kind{.dtype = testing::pick(kTypes, random)};
  const bool bytes = bytes_of(kind.dtype) == 1;
  if (!bytes) kind.layout = testing::pick(kLayouts, random);
  kind.epilogue = testing::random_epilogue(kind.dtype, random);
  if (bytes && random() % 6 == 0) kind.accumulation = Accumulation::Promoted;
  return normalised(kind);
}

// Sizes from 1 to some thousand, evenly distributed by logarithm, ragged where the types allow it.
GemmShape random_shape(const ProductKind& kind, std::mt19937& random) {
  const auto extent = [&](double most, int64_t unit) {
    std::uniform_real_distribution<double> exponent(0, std::log(most));
    return ceil_div(static_cast<int64_t>(std::exp(exponent(random))), unit) * unit;
  };
  const int64_t unit = bytes_of(kind.dtype) == 1 ? 16 : random() % 4 == 0 ? 1 : 8;
  const int64_t columns = tw::record_of(kind.epilogue.activation).gated ? 16 : 8;
  return {extent(1200, 1), extent(2400, columns), extent(4200, unit)};
}

std::optional<TileConfig> random_config(const Problem& problem, testing::ModelSample& sample,
                                        std::mt19937& random) {
  const std::vector<SearchSpace> spaces = all_spaces();
  const SearchSpace& space = testing::pick(spaces, random);
  if (space.family == Family::Sm90) return sample.config(problem, kDraws);
  const auto configs = testing::random_legal_configs(problem, space, 1, random);
  return configs.empty() ? std::nullopt : std::optional(configs.front());
}

// The first product of a kind has a random legal config, which computes the others if it may.
void add_trials(std::vector<testing::Trial>& trials, std::map<std::string, int>& kinds,
                testing::ModelSample& sample, std::mt19937& random) {
  const ProductKind kind = random_kind(random);
  const Problem first{random_shape(kind, random), kind};
  const std::optional<TileConfig> config = random_config(first, sample, random);
  if (!config || reject_workload(workload_of(first), *config, testing::h200())) {
    ++kinds["without a legal config"];
    return;
  }
  trials.push_back({first, {*config}});
  for (size_t i = 1; i < kShapesOfKernel; ++i) {
    const Problem other{random_shape(kind, random), kind};
    if (reject_workload(workload_of(other), *config, testing::h200())) continue;
    trials.push_back({other, {*config}});
  }
  ++kinds[format("{} kernels of {}", to_string(config->family), to_string(kind.dtype))];
}

TEST_CASE("many random products with scales and epilogues are right") {
  testing::TrialCount trials(2 * kBatch);
  const unsigned seed = doctest::getContextOptions()->rand_seed;
  std::mt19937 random(seed);
  testing::ModelSample sample(seed);
  std::map<std::string, int> kinds;
  size_t right = 0;
  size_t refused = 0;
  while (trials.more()) {
    std::vector<testing::Trial> batch;
    while (batch.size() < kBatch) add_trials(batch, kinds, sample, random);
    const testing::TrialCounts counts = testing::check_trials(batch);
    trials.count += batch.size();
    right += counts.right;
    refused += counts.refused;
  }
  std::string text;
  for (const auto& [name, count] : kinds) text += format(", {} {}", count, name);
  MESSAGE(format("verified {}, the compiler refused {}{}", right, refused, text));
  CHECK(right > trials.count / 2);
}

// What groups take of a random kind.
ProductKind random_group_kind(std::mt19937& random) {
  ProductKind kind = random_kind(random);
  kind.layout = MatrixLayout::TN;
  kind.accumulation = Accumulation::Fast;
  Epilogue& e = kind.epilogue;
  e.bias = e.row_bias = e.stacked = e.absmax = false;
  return normalised(kind);
}

// Up to 12 products, some without rows, half of them with sizes of their own.
Workload random_group(std::mt19937& random) {
  const ProductKind kind = random_group_kind(random);
  const GemmShape shared = random_shape(kind, random);
  Workload group;
  for (const int64_t m : testing::random_rows(1 + random() % 12, 400, random)) {
    group.shapes.push_back({m, shared.n, shared.k});
  }
  group.kind = kind;
  if (random() % 2 == 0) return group;
  for (GemmShape& shape : group.shapes) {
    const GemmShape own = random_shape(kind, random);
    shape = {shape.m, own.n, own.k};
  }
  return group;
}

// A config of any tile, schedule, order and division that the group's kernels have; none where few
// draws are legal.
std::optional<TileConfig> random_group_config(const Workload& group, std::mt19937& random) {
  constexpr int kRows[] = {64, 128, 128, 192, 256};
  constexpr ClusterShape kClusters[] = {{1, 1}, {1, 1}, {2, 1}, {1, 2}};
  constexpr GroupSchedule kSchedules[] = {GroupSchedule::DeviceOnly, GroupSchedule::HostPrecompute,
                                          GroupSchedule::Dynamic};
  constexpr ProblemOrder kOrders[] = {ProblemOrder::Given, ProblemOrder::Given,
                                      ProblemOrder::KDescending, ProblemOrder::Lpt};
  const std::string_view decompositions[] = {"data-parallel", "data-parallel", "split-k:3:serial",
                                             "split-k:2:atomic"};
  for (int draw = 0; draw < kDraws; ++draw) {
    TileConfig c;
    c.family = Family::Sm90;
    c.swap_ab = random() % 3 == 0;
    c.cta = {testing::pick(kRows, random), 8 * (1 + static_cast<int>(random() % 32)),
             128 / bytes_of(group.kind.dtype)};
    c.cluster = testing::pick(kClusters, random);
    c.stages = 2 + static_cast<int>(random() % 4);
    if (random() % 3 == 0) c.schedule = KernelSchedule::PingPong;
    c.group_schedule = testing::pick(kSchedules, random);
    c.problem_order = testing::pick(kOrders, random);
    c.decomposition = parse_decomposition(testing::pick(decompositions, random));
    if (!reject_workload(group, c, testing::h200())) return c;
  }
  return std::nullopt;
}

struct GroupTrial {
  Workload group;
  TileConfig config;
};

std::vector<GroupTrial> random_group_trials(size_t count, std::mt19937& random) {
  std::vector<GroupTrial> trials;
  while (trials.size() < count) {
    const Workload group = random_group(random);
    if (total_rows(group) == 0) continue;
    if (const auto config = random_group_config(group, random)) trials.push_back({group, *config});
  }
  return trials;
}

// Compiles all kernels at once, on all cores.
void build_kernels_of(const std::vector<GroupTrial>& trials) {
  testing::KernelBuilds builds;
  for (const GroupTrial& trial : trials) {
    builds.add(make_plan(trial.group, trial.config, testing::h200()));
  }
  builds.build();
}

TEST_CASE("many random groups with scales and epilogues are right") {
  testing::TrialCount trials(2 * kBatch);
  std::mt19937 random(doctest::getContextOptions()->rand_seed + 1);
  std::map<std::string, int> kinds;
  size_t right = 0;
  size_t refused = 0;
  while (trials.more()) {
    const std::vector<GroupTrial> batch = random_group_trials(kBatch, random);
    build_kernels_of(batch);
    trials.count += batch.size();
    for (const GroupTrial& trial : batch) {
      CAPTURE(full_text(trial.group));
      CAPTURE(to_string(trial.config));
      testing::GroupBench bench(trial.group);
      const std::vector<Plan> plans = {make_plan(trial.group, trial.config, testing::h200())};
      if (!bench.kernels().build(plans).front().ok()) {
        ++refused;
        continue;
      }
      const Verification verification = bench.run(trial.config);
      CHECK_MESSAGE(verification.ok, verification.detail);
      if (!verification.ok) continue;
      ++right;
      const bool packed = packing_of(trial.group) == Packing::Rows;
      ++kinds[format("{} of {}", packed ? "packed" : "own sizes",
                     to_string(trial.group.kind.dtype))];
    }
  }
  std::string text;
  for (const auto& [name, count] : kinds) text += format(", {} {}", count, name);
  MESSAGE(format("verified {} groups, the compiler refused {}{}", right, refused, text));
  CHECK(right > trials.count / 2);
}

}  // namespace
}  // namespace tilewright
