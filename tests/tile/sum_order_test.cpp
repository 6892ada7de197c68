#include "tile/plan/sum_order.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "support/devices.hpp"
#include "support/random_configs.hpp"

namespace tilewright {
namespace {

// Where k is cut in the sum of every element of D on a coarse raster of elements, from the walk, in
// elements of k.
std::map<std::pair<int64_t, int64_t>, std::set<int64_t>> cuts_of(const Plan& plan) {
  constexpr int64_t kApart = 8;  // divides every tile
  const TileConfig& config = plan.config;
  std::map<std::pair<int64_t, int64_t>, std::set<int64_t>> cuts;
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

TEST_CASE("plans with the same sums cut k at the same places for every element") {
  std::mt19937 random(8);
  int same = 0;
  int other = 0;
  for (const GemmShape& shape : {GemmShape{256, 256, 2048}, {520, 384, 1024}, {64, 1000, 4096}}) {
    const Problem problem{shape, {DataType::BF16}};
    for (const SearchSpace& space : {sm90_space(), sm80_space(), skinny_space()}) {
      const std::vector<TileConfig> configs =
          testing::random_legal_configs(problem, space, 14, random);
      for (const TileConfig& one : configs) {
        const Plan plan = make_plan(problem, one, testing::h200());
        CHECK(has_same_sums(plan, plan) == (determinism_of(one.decomposition) == "bitwise"));
        for (const TileConfig& another : configs) {
          const Plan second = make_plan(problem, another, testing::h200());
          CHECK(has_same_sums(plan, second) == has_same_sums(second, plan));
          if (!has_same_sums(plan, second)) {
            ++other;
            continue;
          }
          ++same;
          INFO(to_string(one), " and ", to_string(another));
          CHECK(cuts_of(plan) == cuts_of(second));
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

}  // namespace
}  // namespace tilewright
