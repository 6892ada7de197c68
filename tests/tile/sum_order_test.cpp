#include "tile/plan/sum_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "support/devices.hpp"
#include "support/random_configs.hpp"

namespace tilewright {
namespace {

// By element of D.
using Cuts = std::map<std::pair<int64_t, int64_t>, std::set<int64_t>>;

// Where k is cut in the sum of every element of D on a coarse raster of elements, from the walk, in
// elements of k.
Cuts cuts_of(const Plan& plan) {
  constexpr int64_t kApart = 8;  // divides every tile
  const TileConfig& config = plan.config;
  Cuts cuts;
  for (const std::vector<WorkTile>& cta : assignments(plan)) {
    for (const WorkTile& work : cta) {
      for (int64_t i = 0; i < config.cta.m; i += kApart) {
        for (int64_t j = 0; j < config.cta.n; j += kApart) {
          const int64_t row = int64_t{work.m} * config.cta.m + i;
          const int64_t column = int64_t{work.n} * config.cta.n + j;
          const auto place = config.swap_ab ? std::pair(column, row) : std::pair(row, column);
          cuts[place].insert(int64_t{work.k_begin} * config.cta.k);
        }
      }
    }
  }
  // Tiles overhang D by different amounts.
  const GemmShape& shape = plan.workload.shapes.front();
  std::erase_if(cuts, [&](const auto& cut) {
    return cut.first.first >= shape.m || cut.first.second >= shape.n;
  });
  return cuts;
}

// The first k at which some element is cut in one plan alone; without one, the first cut of both.
int64_t first_difference(const Cuts& a, const Cuts& b) {
  std::set<int64_t> of_a;
  std::set<int64_t> of_b;
  for (const auto& [place, cuts] : a) of_a.insert(cuts.begin(), cuts.end());
  for (const auto& [place, cuts] : b) of_b.insert(cuts.begin(), cuts.end());
  of_a.erase(0);
  of_b.erase(0);
  std::vector<int64_t> of_one;
  std::set_symmetric_difference(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                                std::back_inserter(of_one));
  if (!of_one.empty()) return of_one.front();
  return of_a.empty() ? 0 : *of_a.begin();
}

TEST_CASE("plans with the same sums cut k at the same places for every element") {
  std::mt19937 random(8);
  int same = 0;
  int other = 0;
  for (const GemmShape& shape : {GemmShape{256, 256, 2048}, {520, 384, 1024}, {64, 1000, 4096}}) {
    const Problem problem{shape, {DataType::BF16}};
    for (const SearchSpace& space : {sm90_space(), sm80_space(), skinny_space()}) {
      const std::vector<TileConfig> configs =
          testing::random_legal_configs(problem, space, 14, random);
      std::vector<Plan> plans;
      std::vector<Cuts> cuts;
      plans.reserve(configs.size());
      cuts.reserve(configs.size());
      for (const TileConfig& config : configs) {
        plans.push_back(make_plan(problem, config, testing::h200()));
        cuts.push_back(cuts_of(plans.back()));
      }
      for (size_t i = 0; i < plans.size(); ++i) {
        const Plan& plan = plans[i];
        const TileConfig& one = plan.config;
        CHECK(has_same_sums(plan, plan) == (determinism_of(one.decomposition) == "bitwise"));
        for (size_t j = 0; j < plans.size(); ++j) {
          const Plan& second = plans[j];
          CHECK(has_same_sums(plan, second) == has_same_sums(second, plan));
          INFO(to_string(one), " and ", to_string(second.config));
          const std::optional<SumParting> parting = first_parting(plan, second);
          CHECK(parting.has_value() != has_same_sums(plan, second));
          if (parting && one.family == Family::Sm90) {
            CHECK(parting->k == first_difference(cuts[i], cuts[j]));
          }
          if (parting) {
            ++other;
            continue;
          }
          ++same;
          CHECK(cuts[i] == cuts[j]);
          CHECK(determinism_of(one.decomposition) == "bitwise");
        }
      }
    }
  }
  CHECK(same > 50);
  CHECK(other > 100);
}

// A config of the sm90 family.
TileConfig config_of(const char* tile, const char* decomposition) {
  TileConfig config;
  config.family = Family::Sm90;
  config.cta = parse_tile(tile);
  config.stages = 4;
  config.decomposition = parse_decomposition(decomposition);
  return config;
}

bool same(const Workload& workload, const TileConfig& a, const TileConfig& b) {
  return has_same_sums(make_plan(workload, a, testing::h200()),
                       make_plan(workload, b, testing::h200()));
}

TEST_CASE("whole tiles of any size have the same sums; slices only if they are the same") {
  const Workload workload = workload_of({{512, 512, 4096}});
  CHECK(same(workload, config_of("128x128x64", "data-parallel"),
             config_of("64x256x128", "data-parallel")));
  CHECK(same(workload, config_of("128x128x64", "split-k:4"), config_of("64x128x64", "split-k:4")));
  for (const char* const other : {"data-parallel", "split-k:2", "split-k:4:workspace"}) {
    CAPTURE(other);
    CHECK(!same(workload, config_of("128x128x64", "split-k:4"), config_of("128x128x64", other)));
  }
  CHECK(
      !same(workload, config_of("128x128x64", "split-k:4"), config_of("128x128x128", "split-k:4")));
  for (const char* const other : {"split-k:4:atomic", "split-k:4:workspace", "stream-k"}) {
    CAPTURE(other);
    const TileConfig config = config_of("128x128x64", other);
    CHECK(!same(workload, config, config_of("64x128x64", other)));
  }
}

TEST_CASE("8-bit sums begin anew with every stage, and updates depend on how they are mirrored") {
  Workload bytes = workload_of({{512, 512, 4096}});
  bytes.kind.dtype = DataType::E4M3;
  bytes.kind.epilogue.out_dtype = DataType::BF16;
  const TileConfig deep = config_of("128x128x128", "data-parallel");
  CHECK(same(bytes, deep, config_of("64x256x128", "data-parallel")));
  CHECK(!same(bytes, deep, config_of("128x128x64", "data-parallel")));
  Workload update = workload_of({{1024, 1024, 512}});
  update.op = MatrixOp::Syr2k;
  const TileConfig wide = config_of("128x128x64", "data-parallel");
  const TileConfig narrow = config_of("64x64x64", "data-parallel");
  update.uplo = Uplo::Lower;
  CHECK(same(update, wide, narrow));
  update.uplo = Uplo::Full;
  CHECK(!same(update, wide, narrow));
  CHECK(same(update, wide, wide));
}

TEST_CASE("the order of sums is the same for every M, and stream-K's is not") {
  const TileConfig undivided = config_of("128x128x64", "data-parallel");
  const TileConfig split = config_of("128x128x64", "split-k:4");
  const auto plan_at = [](int64_t m, const TileConfig& config) {
    return make_plan(Problem{{m, 512, 4096}, {DataType::BF16}}, config, testing::h200());
  };
  for (const int64_t m : {1, 7, 64, 1000, 8192}) {
    CAPTURE(m);
    CHECK(
        has_same_sums(plan_at(1, undivided), plan_at(m, config_of("64x256x128", "data-parallel"))));
    CHECK(has_same_sums(plan_at(1, split), plan_at(m, config_of("64x64x64", "split-k:4"))));
    CHECK_FALSE(has_same_sums(plan_at(1, split), plan_at(m, undivided)));
    CHECK_FALSE(sum_order_of(plan_at(m, config_of("128x128x64", "stream-k"))).has_value());
  }
}

TEST_CASE("the first k at which sums part is named with its reason") {
  const auto parting = [](const char* one, const char* another) {
    const Problem problem{{512, 512, 4096}, {DataType::BF16}};
    return first_parting(make_plan(problem, config_of("128x128x64", one), testing::h200()),
                         make_plan(problem, config_of("128x128x64", another), testing::h200()));
  };
  CHECK_FALSE(parting("data-parallel", "data-parallel").has_value());
  CHECK(parting("data-parallel", "split-k:4")->k == 1024);
  CHECK(parting("split-k:2", "split-k:4")->k == 1024);
  CHECK(parting("split-k:3", "split-k:4")->k == 1024);
  CHECK(parting("split-k:4", "split-k:4:atomic")->k == 1024);
  CHECK(parting("split-k:4", "split-k:4:in-place")->k == 1024);
  CHECK(parting("split-k:4:atomic", "split-k:4:atomic")->k == 1024);
}

TEST_CASE("a group whose first problem is too short to divide is divided all the same") {
  const Workload group{.shapes = {{512, 512, 64}, {512, 512, 4096}}};
  const auto plan_with = [&](const char* decomposition) {
    return make_plan(group, config_of("128x128x64", decomposition), testing::h200());
  };
  CHECK(plan_with("split-k:4").slices() == 1);
  CHECK_FALSE(has_same_sums(plan_with("split-k:4"), plan_with("data-parallel")));
  CHECK_FALSE(has_same_sums(plan_with("split-k:4"), plan_with("split-k:2")));
}

TEST_CASE("GPUs that divide k have no order for every M, and those that gather rows have") {
  for (const Collective collective : {Collective::ReduceScatter, Collective::AllGather}) {
    const Workload shared = with_shapes(
        {.shapes = {}, .parallel = {.collective = collective, .gpus = 2}}, {{1024, 512, 4096}});
    const bool gathers = collective == Collective::AllGather;
    CHECK(sum_order_of(shared, config_of("128x128x64", "data-parallel")).has_value() == gathers);
  }
}

}  // namespace
}  // namespace tilewright
