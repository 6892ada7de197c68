// A bias of rows, stacked gates, a scale of D, its absolute maximum and a D of 8 bits against
// float64: random shapes, types and legal configs of every family.
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "search/space.hpp"
#include "support/group_trials.hpp"
#include "support/random_configs.hpp"
#include "support/sm90_configs.hpp"
#include "support/trials.hpp"

namespace tilewright {
namespace {

/// A random epilogue with at least one of the forms.
Epilogue random_form(DataType dtype, std::mt19937& random) {
  Epilogue e;
  do {
    e = testing::random_epilogue(dtype, random);
  } while (!e.row_bias && !e.stacked && !e.scale_d && !e.absmax && e.out_dtype != DataType::E4M3);
  return e;
}

TEST_CASE("random legal configs of every family compute every form at random shapes") {
  std::mt19937 random(20251125);
  constexpr const char* kRagged[] = {"1x8x64",        "13x264x520",   "65x254x4096", "16x1000x1024",
                                     "1000x136x3000", "777x1096x520", "300x2064x72"};
  std::vector<testing::Trial> trials;
  for (const char* const shape : kRagged) {
    for (const SearchSpace& space : all_spaces()) {
      const DataType dtype = random() % 2 == 0 ? DataType::BF16 : DataType::F16;
      Problem problem{parse_shape(shape), {.dtype = dtype}};
      if (random() % 3 == 0) problem.kind.layout = MatrixLayout::NN;
      problem.kind.epilogue = random_form(dtype, random);
      trials.push_back({problem, testing::random_legal_configs(problem, space, 2, random)});
    }
  }
  for (const char* const shape : {"72x136x272", "1000x1032x4112", "16x2048x1024"}) {
    Problem problem{parse_shape(shape), {.dtype = DataType::E4M3}};
    problem.kind.epilogue = random_form(DataType::E4M3, random);
    trials.push_back({problem, testing::random_legal_configs(problem, sm90_space(), 3, random)});
  }
  const testing::TrialCounts counts = testing::check_trials(trials);
  MESSAGE(counts.right, " configs are right, ", counts.refused, " refused by the compiler");
  CHECK(counts.right > 30);
  CHECK(counts.refused == 0);
}

TEST_CASE("groups scale D, with and without C, packed or with their own addresses") {
  std::vector<testing::GroupTrial> trials;
  for (const char* const shapes :
       {"300x264x200,0x264x200,9x264x200", "64x64x320,64x72x64,136x64x64"}) {
    for (const char* const epilogue : {"relu", "0.5*c", "silu(2*ab+0.5*c)", "swiglu"}) {
      Workload group{.shapes = parse_shapes(shapes, MatrixOp::Gemm)};
      Epilogue& e = group.kind.epilogue;
      e = parse_epilogue(epilogue);
      e.scale_d = true;
      trials.push_back({group, {}});
      for (const char* const schedule : {"device-only", "host-precompute", "dynamic"}) {
        TileConfig config = testing::sm90_config("cta=128x64x64", 4);
        config.group_schedule = parse_group_schedule(schedule);
        trials.back().launches.push_back({config, {e.alpha, e.beta}});
      }
    }
  }
  testing::check_group_trials(trials);
}

}  // namespace
}  // namespace tilewright
