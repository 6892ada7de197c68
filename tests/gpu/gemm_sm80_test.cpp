// The sm_80 family against float64: any shape, layout, type and alignment; split-K; bank conflicts
// as predicted.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "gpu/measure/range_profiler.hpp"
#include "layout/smem/wavefronts.hpp"
#include "search/space.hpp"
#include "support/gpu_bench.hpp"
#include "support/random_configs.hpp"
#include "support/split_launch.hpp"
#include "support/trials.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/family/sm80.hpp"

namespace tilewright {
namespace {

constexpr MatrixLayout kLayouts[] = {MatrixLayout::TN, MatrixLayout::NN, MatrixLayout::NT,
                                     MatrixLayout::TT};

TileConfig sm80_config(const std::string& text) {
  return config_of(parse_config("family=sm80," + text));
}

// The space with shared-memory layouts that it does not search.
SearchSpace wide_space() {
  SearchSpace space = sm80_space();
  std::vector<Sm80Options> all = space.sm80;
  for (const char* const smem : {"none", "pad:8", "swizzle:3:3:3", "swizzle:2:4:3"}) {
    for (const Sm80Options& options : space.sm80) {
      all.push_back({options.warps, parse_smem_arrangement(smem)});
    }
  }
  space.sm80 = all;
  return space;
}

// Problems with configs that can run them, compiled together because that uses all cores.
std::vector<testing::Trial> sm80_trials() {
  std::mt19937 random(42);
  std::vector<testing::Trial> trials;
  for (const char* const shape :
       {"1x1x1", "1x1x777", "3x5x7", "64x64x64", "65x253x4096", "127x1000x24", "1000x9x3001",
        "2049x2047x131", "777x2305x520", "513x514x516", "130x1028x68", "4097x65x33"}) {
    for (const MatrixLayout layout : kLayouts) {
      const auto dtype = random() % 2 == 0 ? DataType::BF16 : DataType::F16;
      Problem problem{parse_shape(shape), {dtype, layout, {.bias = random() % 2 == 0}}};
      if (random() % 2 == 0) problem.kind.epilogue.out_dtype = DataType::F32;
      trials.push_back({problem, testing::random_legal_configs(problem, wide_space(), 4, random)});
    }
  }
  return trials;
}

TEST_CASE("random legal configs compute any shape, layout and type right") {
  const testing::TrialCounts counts = testing::check_trials(sm80_trials());
  MESSAGE(counts.right, " configs are right");
  CHECK(counts.right > 160);
  CHECK(counts.refused == 0);
}

TEST_CASE("alpha, beta and bias are right in every type and decomposition") {
  std::vector<TileConfig> configs;
  for (const char* const decomposition :
       {"data-parallel", "split-k:3:serial", "split-k:3:workspace"}) {
    configs.push_back(
        sm80_config(std::string("cta=64x64x32,warps=2x2,stages=3,decomposition=") + decomposition));
  }
  std::vector<testing::Trial> trials;
  for (const bool bias : {false, true}) {
    for (const DataType output : {DataType::BF16, DataType::F16, DataType::F32}) {
      const DataType dtype = output == DataType::F16 ? DataType::F16 : DataType::BF16;
      const Problem problem = {
          {131, 259, 264},
          normalised({dtype, MatrixLayout::NT, {.out_dtype = output, .bias = bias}})};
      trials.push_back({problem, configs, {Scaling{1, 1}, Scaling{-2, 0.25F}, Scaling{0, 1}}});
    }
  }
  CHECK(testing::check_trials(trials).refused == 0);
}

TEST_CASE("operands may begin at any element") {
  const Problem problem{{200, 136, 264}, {DataType::BF16}};
  testing::GpuBench bench(problem);
  const int64_t a_bytes = problem.shape.m * problem.shape.k * 2;
  const int64_t b_bytes = problem.shape.n * problem.shape.k * 2;
  for (const int a_offset : {0, 2, 4, 8, 14}) {
    for (const int b_offset : {0, 2, 12}) {
      const DeviceBuffer a(static_cast<size_t>(a_bytes + a_offset));
      const DeviceBuffer b(static_cast<size_t>(b_bytes + b_offset));
      OperandSet shifted = bench.operands();
      shifted.a = a.as<char>() + a_offset;
      shifted.b = b.as<char>() + b_offset;
      const auto copy = [](const void* to, const void* from, int64_t bytes) {
        TW_CHECK(cudaMemcpy(const_cast<void*>(to), from, static_cast<size_t>(bytes),
                            cudaMemcpyDeviceToDevice));
      };
      copy(shifted.a, bench.operands().a, a_bytes);
      copy(shifted.b, bench.operands().b, b_bytes);
      const Verifier& truth = bench.verifier();
      truth.poison();
      bench.kernels().launch(bench.plan_of(sm80_config("cta=64x64x64,warps=2x2,stages=3")),
                             {.operands = shifted});
      TW_CHECK(cudaDeviceSynchronize());
      CAPTURE(a_offset);
      CAPTURE(b_offset);
      const Verification verification = truth.check({});
      CHECK_MESSAGE(verification.ok, verification.detail);
    }
  }
}

TEST_CASE("NaN and infinity propagate as in IEEE 754, and no further") {
  const Problem problem{{300, 265, 201}, {DataType::BF16}};
  testing::GpuBench bench(problem);
  constexpr uint16_t kNan = 0x7FC0;
  constexpr uint16_t kInf = 0x7F80;
  bench.poke(bench.operands().a, 3, 5, kNan);
  bench.poke(bench.operands().a, 130, 200, kInf);
  bench.poke(bench.operands().a, 299, 64, kInf);
  bench.poke(bench.operands().b, 264, 64, 0xFF80);
  bench.poke(bench.operands().b, 100, 10, kInf);
  for (const char* const text :
       {"cta=128x128x32,warps=2x4,stages=3", "cta=64x64x64,warps=2x2,stages=2,smem=pad:8",
        "cta=64x64x64,warps=2x2,stages=4,decomposition=split-k:3",
        "cta=64x64x64,warps=2x2,stages=4,decomposition=split-k:2:workspace"}) {
    CAPTURE(text);
    const Verification verification = bench.run(sm80_config(text));
    CHECK_MESSAGE(verification.ok, verification.detail);
  }
}

// compute-sanitizer runs it.
TEST_CASE("small: sm80") {
  testing::GpuBench bench({{72, 90, 525}, {DataType::BF16}});
  for (const char* const decomposition : {"data-parallel", "split-k:3", "split-k:3:workspace"}) {
    const TileConfig config =
        sm80_config(std::string("cta=64x64x64,warps=2x2,stages=3,decomposition=") + decomposition);
    testing::SplitLaunch(bench, config).check_repeats(1);
  }
}

TEST_CASE("split-K is right in a poisoned workspace and bitwise repeatable") {
  for (const char* const shape : {"129x130x4096", "64x65x8191"}) {
    const Problem problem{parse_shape(shape), {.epilogue = {.out_dtype = DataType::F32}}};
    testing::GpuBench bench(problem);
    for (const char* const decomposition :
         {"split-k:2", "split-k:7", "split-k:16", "split-k:7:workspace", "split-k:16:workspace"}) {
      const TileConfig config = sm80_config(
          std::string("cta=64x64x64,warps=2x2,stages=3,decomposition=") + decomposition);
      CAPTURE(to_string(config));
      testing::SplitLaunch(bench, config).check_repeats(100);
    }
  }
}

// Wavefronts of all ldmatrix instructions of a launch of whole tiles: the warps' reads of one
// stage, times k-blocks and CTAs.
int64_t predicted_load_wavefronts(const Problem& problem, const TileConfig& config) {
  const tw::Sm80Params p = sm80_params(config, problem);
  int64_t of_stage = 0;
  const auto add = [&of_stage](const tw::StageTile& tile, const auto& place_of) {
    WarpAccess access{.op = parse_access_op("ldmatrix.x4")};
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      const tw::TilePlace place = place_of(lane);
      access.addresses[static_cast<size_t>(lane)] =
          tw::Sm80Params::kElementBytes * tile.offset(place.row, place.column);
    }
    of_stage += count_wavefronts(access).wavefronts;
  };
  for (int warp = 0; warp < p.warps_m * p.warps_n; ++warp) {
    for (int k = 0; k < p.cta_k; k += 16) {
      for (int i = 0; i < p.warp_m(); i += 16) {
        const int line = warp / p.warps_n * p.warp_m() + i;
        add(p.a_tile(), [&](int lane) { return p.a_matrix_row(lane, line, k); });
      }
      for (int j = 0; j < p.warp_n(); j += 16) {
        const int line = warp % p.warps_n * p.warp_n() + j;
        add(p.b_tile(), [&](int lane) { return p.b_matrix_row(lane, line, k); });
      }
    }
  }
  const TileCoord tiles = tile_grid(problem.shape, config.cta);
  return of_stage * (problem.shape.k / config.cta.k) * tiles.m * tiles.n;
}

TEST_CASE("predicted wavefronts of every arrangement equal the counters") {
  const std::vector<std::string> metrics = {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"};
  for (const MatrixLayout layout : kLayouts) {
    const Problem problem{{512, 512, 512}, {DataType::BF16, layout}};
    testing::GpuBench bench(problem);
    for (const char* const smem :
         {"none", "swizzle:3:3:3", "swizzle:1:3:6", "swizzle:2:4:3", "pad:8", "fitted"}) {
      const TileConfig config =
          sm80_config(std::string("cta=128x128x64,warps=2x4,stages=2,smem=") + smem);
      REQUIRE(bench.run(config).ok);
      const MetricSeries reading = read_metrics_each(metrics, 0, 1, [&](size_t) {
        bench.kernels().launch(bench.plan_of(config), {.operands = bench.operands()});
      });
      if (!reading.why_not.empty()) {
        MESSAGE("no counters here: ", reading.why_not);
        return;
      }
      const int64_t predicted = predicted_load_wavefronts(problem, config);
      MESSAGE(to_string(layout), " ", std::string(smem), ": predicted ", predicted, ", counted ",
              static_cast<int64_t>(reading.values[0][0]));
      CHECK(static_cast<double>(predicted) == reading.values[0][0]);
    }
  }
}

}  // namespace
}  // namespace tilewright
