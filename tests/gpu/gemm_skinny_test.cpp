// The skinny family against float64: every number of rows, ragged lines and depths, split-K.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "search/space.hpp"
#include "support/gpu_bench.hpp"
#include "support/random_configs.hpp"
#include "support/split_launch.hpp"
#include "support/trials.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

TileConfig skinny_config(const std::string& text) {
  return config_of(parse_config("family=skinny," + text));
}

std::vector<testing::Trial> skinny_trials() {
  std::mt19937 random(7);
  std::vector<testing::Trial> trials;
  for (int m = 1; m <= 16; ++m) {
    for (const char* const rest : {"1x8", "15x72", "33x1000", "1000x4104", "4096x2048"}) {
      const DataType dtype = random() % 2 == 0 ? DataType::BF16 : DataType::F16;
      Problem problem{parse_shape(std::to_string(m) + "x" + rest), dtype};
      problem.kind.epilogue.bias = random() % 2 == 0;
      if (random() % 2 == 0) problem.kind.epilogue.out_dtype = DataType::F32;
      trials.push_back(
          {problem, testing::random_legal_configs(problem, skinny_space(), 4, random)});
    }
  }
  return trials;
}

TEST_CASE("random legal configs compute every number of rows right") {
  const testing::TrialCounts counts = testing::check_trials(skinny_trials());
  MESSAGE(counts.right, " configs are right");
  CHECK(counts.right > 300);
  CHECK(counts.refused == 0);
}

TEST_CASE("alpha, beta and bias are right") {
  std::vector<TileConfig> configs;
  for (const char* const decomposition : {"data-parallel", "split-k:3:workspace"}) {
    configs.push_back(skinny_config(std::string("cta=8x16x64,k_warps=4,stages=2,decomposition=") +
                                    decomposition));
  }
  std::vector<testing::Trial> trials;
  for (const bool bias : {false, true}) {
    trials.push_back({{{5, 257, 520}, {.epilogue = {.bias = bias}}},
                      configs,
                      {Scaling{1, 1}, Scaling{-2, 0.25F}, Scaling{0, 1}}});
  }
  CHECK(testing::check_trials(trials).refused == 0);
}

TEST_CASE("NaN and infinity stay in their row and column") {
  const Problem problem{{9, 100, 1000}, {DataType::BF16}};
  testing::GpuBench bench(problem);
  bench.poke(bench.operands().a, 8, 999, 0x7FC0);
  bench.poke(bench.operands().a, 2, 0, 0x7F80);
  bench.poke(bench.operands().b, 99, 998, 0xFF80);
  for (const char* const text :
       {"cta=16x16x128,k_warps=4,stages=2", "cta=16x32x64,k_warps=2,stages=2"}) {
    CAPTURE(text);
    const Verification verification = bench.run(skinny_config(text));
    CHECK_MESSAGE(verification.ok, verification.detail);
  }
}

// compute-sanitizer runs it.
TEST_CASE("small: skinny") {
  testing::GpuBench bench({{7, 70, 1032}, {DataType::F16}});
  for (const char* const decomposition : {"data-parallel", "split-k:3:workspace"}) {
    const TileConfig config = skinny_config(
        std::string("cta=16x16x64,k_warps=4,stages=2,decomposition=") + decomposition);
    testing::SplitLaunch(bench, config).check_repeats(1);
  }
}

TEST_CASE("split-K is right in a poisoned workspace and bitwise repeatable") {
  const Problem problem{{16, 250, 8200}, {.epilogue = {.out_dtype = DataType::F32}}};
  testing::GpuBench bench(problem);
  for (const char* const text :
       {"cta=16x16x64,k_warps=4,stages=2,decomposition=split-k:2:workspace",
        "cta=16x32x64,k_warps=2,stages=3,decomposition=split-k:9:workspace",
        "cta=16x16x128,k_warps=8,stages=2,decomposition=data-parallel"}) {
    const TileConfig config = skinny_config(text);
    CAPTURE(text);
    testing::SplitLaunch(bench, config).check_repeats(100);
  }
}

}  // namespace
}  // namespace tilewright
