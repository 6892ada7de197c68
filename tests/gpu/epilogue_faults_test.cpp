// Planted faults of an epilogue, each of which the verification must find: another program or other
// operands compute D, and D is compared as if they had not. Those of operand scales are in
// operand_scales_faults_test.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/gpu_bench.hpp"
#include "support/sm90_configs.hpp"

namespace tilewright {
namespace {

const char* const kFaultyRuns[] = {"family=sm90,cta=128x64x64,cluster=1x1,stages=4",
                                   "family=sm90,cta=64x64x64,cluster=1x1,stages=4,swap_ab=true",
                                   "family=sm80,cta=64x64x32,warps=2x2,stages=3"};

Problem faulty_problem(const GemmShape& shape, const Epilogue& epilogue) {
  return {shape, {.epilogue = epilogue}};
}

/// Runs the kernels of `planted` on the operands of `whole`, and compares D with the epilogue of
/// `whole`. Returns what the comparison finds.
std::string find_in(
    testing::GpuBench& bench, const Epilogue& planted, const TileConfig& config,
    const std::function<void(OperandSet&)>& change = [](OperandSet&) {}) {
  const Verifier& truth = bench.verifier();
  truth.poison();
  Problem problem = bench.problem();
  problem.kind.epilogue = planted;
  OperandSet operands = bench.operands();
  change(operands);
  const Plan plan = make_plan(problem, config, testing::h200());
  bench.kernels().launch(plan, {.operands = operands}, {});
  TW_CHECK(cudaDeviceSynchronize());
  return truth.check(bench.problem().kind.epilogue, output_roundings(plan)).detail;
}

/// Small and large: all elements are compared, or samples.
constexpr GemmShape kFaultyShapes[] = {{256, 256, 128}, {2304, 2304, 1024}};

TEST_CASE("gates and ups that lie otherwise are found") {
  const Epilogue in_turn = parse_epilogue("swiglu");
  const Epilogue stacked = parse_epilogue("swiglu@stacked");
  for (const GemmShape& shape : kFaultyShapes) {
    for (const Epilogue& whole : {in_turn, stacked}) {
      testing::GpuBench bench(faulty_problem(shape, whole));
      for (const char* const text : kFaultyRuns) {
        CAPTURE(text);
        const TileConfig config = config_of(parse_config(text));
        CHECK(find_in(bench, whole, config) == "");
        CHECK(find_in(bench, whole.stacked ? in_turn : stacked, config) != "");
      }
    }
  }
}

TEST_CASE("exchanged halves of stacked gates and ups are found") {
  for (const GemmShape& shape : kFaultyShapes) {
    testing::GpuBench bench(faulty_problem(shape, parse_epilogue("swiglu@stacked")));
    const auto half = static_cast<size_t>(shape.n / 2 * shape.k) * 2;
    const DeviceBuffer exchanged(2 * half);
    const auto* const b = static_cast<const char*>(bench.operands().b);
    TW_CHECK(cudaMemcpy(exchanged.get(), b + half, half, cudaMemcpyDeviceToDevice));
    TW_CHECK(cudaMemcpy(exchanged.as<char>() + half, b, half, cudaMemcpyDeviceToDevice));
    for (const char* const text : kFaultyRuns) {
      const std::string found =
          find_in(bench, bench.problem().kind.epilogue, config_of(parse_config(text)),
                  [&](OperandSet& operands) { operands.b = exchanged.get(); });
      CHECK(found != "");
    }
  }
}

TEST_CASE("a bias of rows for one of columns, and the reverse, are found") {
  for (const GemmShape& shape : kFaultyShapes) {
    for (const char* const activation : {"", "silu"}) {
      Epilogue columns{.bias = true};
      Epilogue rows{.row_bias = true};
      if (*activation != 0) columns.activation = rows.activation = Activation::Silu;
      for (const Epilogue& whole : {columns, rows}) {
        testing::GpuBench bench(faulty_problem(shape, whole));
        for (const char* const text : kFaultyRuns) {
          CAPTURE(text);
          const TileConfig config = config_of(parse_config(text));
          CHECK(find_in(bench, whole, config) == "");
          CHECK(find_in(bench, whole.bias ? rows : columns, config) != "");
        }
      }
    }
  }
}

TEST_CASE("a neighbour's bias, exchanged factors and other activations are found") {
  for (const GemmShape& shape : kFaultyShapes) {
    for (const char* const text : kFaultyRuns) {
      CAPTURE(text);
      const TileConfig config = config_of(parse_config(text));
      for (const char* const epilogue : {"bias", "silu(row-bias)"}) {
        testing::GpuBench bench(faulty_problem(shape, parse_epilogue(epilogue)));
        const Epilogue& whole = bench.problem().kind.epilogue;
        CHECK(find_in(bench, whole, config) == "");
        CHECK(find_in(bench, whole, config, [](OperandSet& operands) {
                operands.bias = static_cast<const char*>(operands.bias) + 2;
              }) != "");
      }
      testing::GpuBench bench(faulty_problem(shape, parse_epilogue("gelu(2*ab+0.5*c)")));
      CHECK(find_in(bench, bench.problem().kind.epilogue, config) == "");
      for (const char* const planted : {"gelu(0.5*ab+2*c)", "gelu(2*ab)", "silu(2*ab+0.5*c)",
                                        "relu(2*ab+0.5*c)", "2*ab+0.5*c"}) {
        CAPTURE(planted);
        CHECK(find_in(bench, parse_epilogue(planted), config) != "");
      }
    }
  }
}

TEST_CASE("a residual that is read after the store is found") {
  for (const GemmShape& shape : kFaultyShapes) {
    for (const char* const epilogue : {"c", "silu(c)", "0.5*c+bias"}) {
      testing::GpuBench bench(faulty_problem(shape, parse_epilogue(epilogue)));
      const auto bytes = static_cast<size_t>(shape.m * shape.n) * 2;
      const DeviceBuffer stored(bytes);
      for (const char* const text : kFaultyRuns) {
        CAPTURE(text);
        const TileConfig config = config_of(parse_config(text));
        CHECK(find_in(bench, bench.problem().kind.epilogue, config) == "");
        TW_CHECK(cudaMemcpy(stored.get(), bench.operands().d, bytes, cudaMemcpyDeviceToDevice));
        CHECK(find_in(bench, bench.problem().kind.epilogue, config,
                      [&](OperandSet& operands) { operands.c = stored.get(); }) != "");
      }
    }
  }
}

TEST_CASE("a skipped activation and a dropped scale are found") {
  for (const GemmShape& shape : kFaultyShapes) {
    for (const DataType out : {DataType::BF16, DataType::E4M3, DataType::F32}) {
      const Epilogue whole{.out_dtype = out == DataType::BF16 ? std::nullopt : std::optional(out),
                           .activation = Activation::Relu,
                           .scale_d = true,
                           .absmax = true};
      testing::GpuBench bench(faulty_problem(shape, whole));
      Epilogue skipped = whole;
      skipped.activation = Activation::None;
      Epilogue dropped = whole;
      dropped.scale_d = false;
      for (const char* const text : kFaultyRuns) {
        CAPTURE(text);
        const TileConfig config = config_of(parse_config(text));
        CHECK(find_in(bench, whole, config) == "");
        CHECK(find_in(bench, skipped, config) != "");
        CHECK(find_in(bench, dropped, config) != "");
      }
    }
  }
}

TEST_CASE("a maximum of what is behind the scale, a stale and a missing one are found") {
  for (const DataType out : {DataType::BF16, DataType::E4M3, DataType::F32}) {
    const Epilogue whole{.out_dtype = out == DataType::BF16 ? std::nullopt : std::optional(out),
                         .activation = Activation::Gelu,
                         .scale_d = true,
                         .absmax = true};
    testing::GpuBench bench(faulty_problem(kFaultyShapes[0], whole));
    for (const char* const text : kFaultyRuns) {
      CAPTURE(text);
      const TileConfig config = config_of(parse_config(text));
      REQUIRE(find_in(bench, whole, config) == "");
      tw::OutputScaling right;
      copy_to_host(&right, bench.operands().scaling, sizeof(right));
      const auto most = std::bit_cast<float>(right.absmax);
      REQUIRE(most > 0);
      for (const float wrong : {most * right.scale, 1.5F * most, 0.5F * most, 0.0F}) {
        tw::OutputScaling planted = right;
        planted.absmax = std::bit_cast<unsigned>(wrong);
        copy_to_device(bench.operands().scaling, &planted, sizeof(planted));
        CHECK(bench.verifier().check(whole).detail.starts_with("the absolute maximum"));
      }
      copy_to_device(bench.operands().scaling, &right, sizeof(right));
      CHECK(bench.verifier().check(whole).detail == "");
    }
  }
}

TEST_CASE("values beyond e4m3 are cut off at its ends, and NaN stays NaN") {
  const Problem problem =
      faulty_problem({256, 256, 128}, {.out_dtype = DataType::E4M3, .alpha = 90});
  testing::GpuBench bench(problem);
  constexpr uint16_t kNan = 0x7FC0;
  bench.poke(bench.operands().a, 3, 5, kNan);
  for (const char* const text : kFaultyRuns) {
    CAPTURE(text);
    REQUIRE(bench.run(config_of(parse_config(text)), {.alpha = 90}).detail == "");
    std::vector<uint8_t> d(static_cast<size_t>(256 * 256));
    copy_to_host(d.data(), bench.operands().d, d.size());
    size_t ends = 0;
    for (size_t i = 0; i < d.size(); ++i) {
      const bool is_nan = (d[i] & 0x7F) == 0x7F;
      CHECK(is_nan == (i / 256 == 3));
      ends += (d[i] & 0x7F) == 0x7E ? 1 : 0;
    }
    CHECK(ends > 1000);
  }
}

TEST_CASE("NaN stays NaN behind every activation, in D and in the absolute maximum") {
  constexpr uint16_t kNan = 0x7FC0;
  for (const tw::ActivationRecord& record : tw::kActivations) {
    const Problem problem = faulty_problem(
        {16, 256, 128},
        {.out_dtype = DataType::F32, .activation = record.activation, .absmax = true});
    CAPTURE(to_string(problem));
    testing::GpuBench bench(problem);
    bench.poke(bench.operands().a, 3, 5, kNan);
    for (const char* const text : {kFaultyRuns[0], kFaultyRuns[1], kFaultyRuns[2],
                                   "family=skinny,cta=16x16x128,k_warps=4,stages=2"}) {
      CAPTURE(text);
      REQUIRE(bench.run(config_of(parse_config(text))).detail == "");
      const int64_t columns = output_columns(problem.kind, 256);
      std::vector<float> d(static_cast<size_t>(16 * columns));
      copy_to_host(d.data(), bench.operands().d, d.size() * sizeof(float));
      for (size_t i = 0; i < d.size(); ++i) {
        CHECK(std::isnan(d[i]) == (static_cast<int64_t>(i) / columns == 3));
      }
      tw::OutputScaling scaling;
      copy_to_host(&scaling, bench.operands().scaling, sizeof(scaling));
      CHECK(std::isnan(std::bit_cast<float>(scaling.absmax)));
    }
  }
}

// D of fp32 is the scale's product with what the maximum is of, so the two have the same greatest
// element.
TEST_CASE("the absolute maximum is of D before its scale") {
  for (const char* const epilogue : {"", "relu", "silu(bias)", "swiglu"}) {
    Epilogue whole = *epilogue == 0 ? Epilogue{} : parse_epilogue(epilogue);
    whole.out_dtype = DataType::F32;
    whole.scale_d = whole.absmax = true;
    testing::GpuBench bench(faulty_problem({256, 264, 136}, whole));
    for (const char* const text : kFaultyRuns) {
      CAPTURE(epilogue);
      CAPTURE(text);
      REQUIRE(bench.run(config_of(parse_config(text))).detail == "");
      std::vector<float> d(static_cast<size_t>(256 * output_columns(bench.problem().kind, 264)));
      copy_to_host(d.data(), bench.operands().d, d.size() * sizeof(float));
      float most = 0;
      for (const float value : d) most = std::max(most, std::fabs(value));
      tw::OutputScaling scaling;
      copy_to_host(&scaling, bench.operands().scaling, sizeof(scaling));
      CHECK(scaling.scale != 1);
      CHECK(std::bit_cast<float>(scaling.absmax) * scaling.scale == most);
    }
  }
}

}  // namespace
}  // namespace tilewright
