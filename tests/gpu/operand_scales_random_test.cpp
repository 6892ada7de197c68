// Random products with scales and epilogues against float64: random sizes, kinds and legal configs
// of every family, and packed groups, as many as the options ask for (--trials=N, --seconds=S,
// --rand-seed=R).
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <string>
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

// The kind, with a D of f32 where scales of lines let products of gates and ups leave f16's range:
// a relative error over the elements that stay in it is none of their sums'.
ProductKind in_range(ProductKind kind) {
  Epilogue& e = kind.epilogue;
  const bool of_lines = tw::lines_per_scale(tw::form_of(e.scale_a)) > 0;
  const bool gated = tw::record_of(e.activation).gated;
  if (of_lines && gated && output_type(kind) == DataType::F16) e.out_dtype = DataType::F32;
  return normalised(kind);
}

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
  return in_range(kind);
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
  testing::TrialCount trials;
  const unsigned seed = doctest::getContextOptions()->rand_seed;
  std::mt19937 random(seed);
  testing::ModelSample sample(seed);
  std::map<std::string, int> kinds;
  size_t refused = 0;
  while (trials.more()) {
    std::vector<testing::Trial> batch;
    while (batch.size() < kBatch) add_trials(batch, kinds, sample, random);
    const testing::TrialCounts counts = testing::check_trials(batch);
    trials.count += counts.right;
    refused += counts.refused;
  }
  std::string text;
  for (const auto& [name, count] : kinds) text += format(", {} {}", count, name);
  MESSAGE(format("verified {}, the compiler refused {}{}", trials.count, refused, text));
  CHECK(trials.count > kBatch / 2);
}

TEST_CASE("many random groups with scales are right") {
  testing::TrialCount trials;
  std::mt19937 random(doctest::getContextOptions()->rand_seed + 1);
  const std::vector<std::string> texts = {
      "cta=128x128x128,group_schedule=device-only",
      "cta=64x96x128,group_schedule=host-precompute",
      "cta=128x64x128,cluster=1x2,group_schedule=dynamic",
      "cta=192x128x128,group_schedule=device-only",
      "cta=64x176x128,schedule=pingpong,group_schedule=device-only",
      "cta=128x24x128,swap_ab=true,group_schedule=host-precompute,problem_order=lpt"};
  while (trials.more()) {
    Workload group = testing::packed_group(testing::random_rows(1 + random() % 12, 400, random),
                                           8 * (1 + random() % 90), 16 * (1 + random() % 140));
    group.kind.dtype = DataType::E4M3;
    do {
      group.kind.epilogue = testing::random_epilogue(DataType::E4M3, random);
    } while (group.kind.epilogue.scale_a == OperandScale::None);
    group.kind = in_range(group.kind);
    const TileConfig config = testing::sm90_config(testing::pick(texts, random), 3);
    CAPTURE(full_text(group));
    CAPTURE(to_string(config));
    if (total_rows(group) == 0 || reject_workload(group, config, testing::h200())) continue;
    testing::GroupBench bench(group);
    const Verification verification = bench.run(config);
    CHECK_MESSAGE(verification.ok, verification.detail);
    ++trials.count;
  }
  MESSAGE(format("verified {} groups", trials.count));
  CHECK(trials.count > 20);
}

}  // namespace
}  // namespace tilewright
