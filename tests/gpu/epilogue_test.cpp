// Epilogues against float64: every activation in every family, reduction and kind of store, with a
// bias, C and scales; cuBLASLt's own epilogues; and planted errors that sums cannot find.
#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "gpu/measure/cuda_runner.hpp"
#include "search/space.hpp"
#include "support/group_trials.hpp"
#include "support/random_configs.hpp"
#include "support/sm90_configs.hpp"
#include "support/trials.hpp"

namespace tilewright {
namespace {

constexpr Activation kCurved[] = {Activation::Relu,    Activation::Gelu,   Activation::GeluErf,
                                  Activation::Silu,    Activation::Swiglu, Activation::Geglu,
                                  Activation::GegluErf};

// So large that only some rows and columns are compared completely.
const Problem kMany{{2304, 2112, 1024}};

Problem with(Problem problem, const char* epilogue) {
  problem.kind.epilogue = parse_epilogue(epilogue);
  return problem;
}

TEST_CASE("random legal configs of every family compute random epilogues") {
  std::mt19937 random(50);
  std::vector<testing::Trial> trials;
  const std::vector<SearchSpace> spaces = all_spaces();
  for (const char* const shape : {"1x8x64", "13x264x520", "65x253x4096", "127x1000x24",
                                  "1000x136x3000", "2049x2056x136", "777x2304x520"}) {
    for (const DataType dtype : {DataType::BF16, DataType::F16}) {
      for (const SearchSpace& space : spaces) {
        Problem problem{parse_shape(shape), {.dtype = dtype}};
        problem.kind.epilogue = testing::random_epilogue(dtype, random);
        trials.push_back({problem, testing::random_legal_configs(problem, space, 4, random)});
      }
    }
  }
  for (const char* const shape : {"72x136x272", "1000x1032x4112"}) {
    for (int i = 0; i < 4; ++i) {
      Problem problem{parse_shape(shape), {.dtype = DataType::E4M3}};
      problem.kind.epilogue = testing::random_epilogue(DataType::E4M3, random);
      trials.push_back({problem, testing::random_legal_configs(problem, sm90_space(), 4, random)});
    }
  }
  const testing::TrialCounts counts = testing::check_trials(trials);
  MESSAGE(counts.right, " configs are right, ", counts.refused, " refused by the compiler");
  CHECK(counts.right > 100);
  CHECK(counts.refused == 0);
}

TEST_CASE("divided tiles are activated once, after their sum is complete") {
  std::vector<TileConfig> divided;
  for (const char* const division :
       {"split-k:4:serial", "split-k:4:atomic", "split-k:4:workspace", "split-k:4:reduce-scatter",
        "split-k:4:cluster", "split-k:4:serial-tma", "stream-k", "stream-k:all:workspace"}) {
    divided.push_back(testing::sm90_config("cta=128x64x64,cluster=1x1", 4));
    divided.back().decomposition = parse_decomposition(division);
  }
  std::vector<testing::Trial> trials;
  for (const Activation activation : kCurved) {
    Problem problem{{392, 520, 4104}};
    problem.kind.epilogue = {.bias = true, .activation = activation};
    trials.push_back({problem, {}});
    for (const TileConfig& config : divided) {
      const auto rejection = reject_config(problem, config, testing::h200());
      if (rejection) {
        CHECK(rejection->rule == "reduction");
        continue;
      }
      trials.back().configs.push_back(config);
    }
    for (const char* const text : {"cta=64x64x32,warps=2x2,stages=3,decomposition=split-k:4:serial",
                                   "cta=64x64x32,warps=2x2,stages=3,decomposition=split-k:4"}) {
      trials.back().configs.push_back(config_of(parse_config(std::string("family=sm80,") + text)));
    }
  }
  CHECK(testing::check_trials(trials).refused == 0);
}

// Configs for each code path that loads a bias: the epilogue of sm90 with and without swap_ab,
// the kernel that sums a workspace, and the epilogues of sm80 and skinny. The skinny family takes
// 16 rows at most; all other configs must be legal.
std::vector<TileConfig> configs_with_bias(const Problem& problem) {
  std::vector<TileConfig> configs;
  for (const char* const text :
       {"family=sm90,cta=128x128x64,stages=4", "family=sm90,cta=128x64x64,stages=4",
        "family=sm90,cta=128x64x64,stages=4,swap_ab=true",
        "family=sm90,cta=128x64x64,stages=4,decomposition=split-k:2:workspace",
        "family=sm80,cta=64x64x32,warps=2x2,stages=3",
        "family=skinny,cta=16x16x128,k_warps=4,stages=2"}) {
    const TileConfig config = config_of(parse_config(text));
    if (reject_config(problem, config, testing::h200())) {
      CHECK(config.family == Family::Skinny);
      CHECK(problem.shape.m > 16);
      continue;
    }
    configs.push_back(config);
  }
  return configs;
}

// Computes with an operand of `count` elements of 16 bits at each address behind an aligned one.
void check_moved(const Problem& problem, const std::vector<TileConfig>& configs,
                 const void* OperandSet::*operand, size_t count) {
  testing::GpuBench bench(problem);
  // NaN on both sides, so that a read outside the operand shows.
  const std::vector<uint16_t> poison(count + 4, 0xFFFF);
  DeviceBuffer buffer(2 * poison.size());
  auto* const first = static_cast<uint16_t*>(buffer.get());
  for (const int ahead : {1, 2, 3}) {
    copy_to_device(first, poison.data(), 2 * poison.size());
    TW_CHECK(
        cudaMemcpy(first + ahead, bench.operands().*operand, 2 * count, cudaMemcpyDeviceToDevice));
    OperandSet moved = bench.operands();
    moved.*operand = first + ahead;
    for (const TileConfig& config : configs) {
      CAPTURE(to_string(config));
      CAPTURE(ahead);
      const Plan plan = bench.plan_of(config);
      const Verifier& truth = bench.verifier();
      truth.poison();
      bench.kernels().launch(plan, {.operands = moved}, {});
      TW_CHECK(cudaDeviceSynchronize());
      CHECK(truth.check(problem.kind.epilogue, output_roundings(plan)).detail == "");
    }
  }
}

TEST_CASE("a bias may begin at any multiple of its elements' size") {
  std::vector<testing::Trial> trials;
  testing::KernelBuilds builds;
  for (const DataType dtype : {DataType::BF16, DataType::F16}) {
    for (const char* const shape : {"392x512x520", "16x1000x1024"}) {
      Problem problem{parse_shape(shape), {.dtype = dtype}};
      problem.kind.epilogue = parse_epilogue("silu(bias)");
      trials.push_back({problem, configs_with_bias(problem)});
      for (const TileConfig& config : trials.back().configs) {
        builds.add(make_plan(problem, config, testing::h200()));
      }
    }
  }
  builds.build();
  for (const testing::Trial& trial : trials) {
    check_moved(trial.problem, trial.configs, &OperandSet::bias,
                static_cast<size_t>(trial.problem.shape.n));
  }
}

TEST_CASE("C may begin at any multiple of its elements' size") {
  std::vector<testing::Trial> trials;
  testing::KernelBuilds builds;
  for (const char* const epilogue : {"0.5*c", "relu(c+bias)"}) {
    for (const char* const shape : {"392x512x520", "1000x1016x1024"}) {
      const Problem problem = with({parse_shape(shape)}, epilogue);
      trials.push_back({problem, {}});
      for (const char* const text :
           {"cta=128x128x64,stages=4", "cta=128x144x64,stages=4,schedule=pingpong",
            "cta=256x104x64,stages=4", "cta=128x64x64,stages=4,swap_ab=true",
            "cta=128x120x64,stages=4,schedule=pingpong,swap_ab=true",
            "cta=128x64x64,stages=4,decomposition=split-k:2:serial"}) {
        trials.back().configs.push_back(
            config_of(parse_config(std::string("family=sm90,") + text)));
        builds.add(make_plan(problem, trials.back().configs.back(), testing::h200()));
      }
    }
  }
  builds.build();
  for (const testing::Trial& trial : trials) {
    const GemmShape& shape = trial.problem.shape;
    check_moved(trial.problem, trial.configs, &OperandSet::c,
                static_cast<size_t>(shape.m * shape.n));
  }
}

TEST_CASE("gated activations are right in every kind of store, with and without swap_ab") {
  std::vector<testing::Trial> trials;
  for (const char* const shape : {"392x520x520", "130x1044x264", "64x34x72"}) {
    for (const char* const epilogue : {"swiglu", "geglu(bias)", "geglu-erf(2*ab+bias)"}) {
      Problem problem = with({parse_shape(shape)}, epilogue);
      for (const bool wide : {false, true}) {
        if (wide) problem.kind.epilogue.out_dtype = DataType::F32;
        trials.push_back({problem, {}});
        for (const char* const config :
             {"cta=128x256x64", "cta=128x96x64", "cta=64x128x64,cluster=1x2",
              "cta=128x128x64,schedule=pingpong", "cta=192x80x64,cluster=1x1",
              "cta=128x64x64,decomposition=split-k:2:workspace",
              "cta=128x64x64,decomposition=split-k:2:cluster",
              "cta=128x64x64,decomposition=stream-k"}) {
          for (const char* const swap : {"", ",swap_ab=true"}) {
            const std::string text = std::string("family=sm90,stages=4,") + config + swap;
            const TileConfig c = config_of(parse_config(text));
            if (reject_config(problem, c, testing::h200())) continue;
            trials.back().configs.push_back(c);
          }
        }
      }
    }
  }
  CHECK(testing::check_trials(trials).refused == 0);
}

TEST_CASE("exchanged gate and up, another activation and a shifted column are found") {
  const TileConfig config = testing::sm90_config("cta=128x128x64,cluster=1x1", 4);
  for (const Problem& problem : {with({{128, 256, 64}}, "swiglu"), with(kMany, "swiglu")}) {
    testing::GpuBench bench(problem);
    REQUIRE(bench.run(config).detail == "");
    const Verifier& truth = bench.verifier();
    CHECK(!truth.check(parse_epilogue("geglu")).ok);
    CHECK(!truth.check(parse_epilogue("swiglu(2*ab)")).ok);
    // A's rows times B's columns in exchanged order: gate and up swapped.
    const int64_t n = problem.shape.n;
    const int64_t k = problem.shape.k;
    auto* const b = static_cast<uint16_t*>(const_cast<void*>(bench.operands().b));
    std::vector<uint16_t> columns(static_cast<size_t>(n * k));
    copy_to_host(columns.data(), b, 2 * columns.size());
    const std::vector<uint16_t> before = columns;
    for (int64_t column = 0; column < n; column += 2) {
      for (int64_t i = 0; i < k; ++i) {
        std::swap(columns[static_cast<size_t>(column * k + i)],
                  columns[static_cast<size_t>((column + 1) * k + i)]);
      }
    }
    copy_to_device(b, columns.data(), 2 * columns.size());
    truth.poison();
    bench.kernels().launch(bench.plan_of(config), {.operands = bench.operands()}, {});
    TW_CHECK(cudaDeviceSynchronize());
    copy_to_device(b, before.data(), 2 * before.size());
    CHECK(!truth.check(problem.kind.epilogue).ok);
  }
}

TEST_CASE("groups are activated, packed or with their own addresses") {
  std::vector<TileConfig> configs;
  for (const char* const schedule : {"device-only", "host-precompute", "dynamic"}) {
    configs.push_back(testing::sm90_config("cta=128x64x64,cluster=1x1", 4));
    configs.back().group_schedule = parse_group_schedule(schedule);
  }
  std::vector<testing::GroupTrial> trials;
  for (const Activation activation : kCurved) {
    for (const char* const shapes :
         {"300x264x200,0x264x200,9x264x200", "64x64x320,64x72x64,136x64x64"}) {
      Workload group{.shapes = parse_shapes(shapes, MatrixOp::Gemm)};
      group.kind.epilogue.activation = activation;
      trials.push_back({group, testing::launches_of(configs)});
    }
  }
  testing::check_group_trials(trials);
}

TEST_CASE("the library's own activations equal ours") {
  for (const char* const epilogue : {"relu", "gelu", "relu(bias)", "gelu(bias)", "bias"}) {
    CAPTURE(epilogue);
    const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1);
    runner->prepare(with({{512, 768, 1024}}, epilogue));
    const std::vector<Contender> references = runner->reference_contenders();
    REQUIRE(!references.empty());
    CHECK(runner->verify(references.front()).detail == "");
  }
}

TEST_CASE("another activation, a wrong block and a lost tile are found in a large D") {
  const TileConfig config = testing::sm90_config("cta=128x128x64,cluster=1x1", 4);
  testing::GpuBench bench(with(kMany, "relu"));
  REQUIRE(bench.run(config).detail == "");
  const Verifier& truth = bench.verifier();
  CHECK(!truth.check(Epilogue{}).ok);
  CHECK(!truth.check(parse_epilogue("gelu")).ok);
  CHECK(!truth.check(parse_epilogue("2*ab")).ok);
  // The rows and columns that are compared completely most likely miss the wrong block; the
  // elements of each block do not.
  auto* const d = static_cast<uint16_t*>(bench.operands().d);
  const std::vector<uint16_t> wrong(64, 0x42C8);  // 100
  for (const auto& [row, column] : {std::pair{640, 1280}, {2240, 2048}, {0, 0}}) {
    REQUIRE(bench.run(config).detail == "");
    for (int64_t line = row; line < row + 64; ++line) {
      copy_to_device(d + line * kMany.shape.n + column, wrong.data(), 2 * wrong.size());
    }
    CHECK(!truth.check(parse_epilogue("relu")).ok);
  }
}

}  // namespace
}  // namespace tilewright
