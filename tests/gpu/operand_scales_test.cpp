// Scales of 8-bit operands against float64: every form and order, ragged sizes, groups, divided
// tiles, and faults that the verification must find.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "search/space.hpp"
#include "support/gpu_bench.hpp"
#include "support/group_bench.hpp"
#include "support/random_configs.hpp"
#include "support/sm90_configs.hpp"
#include "support/trials.hpp"
#include "tile/workload/scale_layout.hpp"

namespace tilewright {
namespace {

ProductKind scaled_kind(const std::string& a, const std::string& b,
                        DataType output = DataType::BF16, DataType dtype = DataType::E4M3) {
  ProductKind kind{.dtype = dtype};
  kind.epilogue.scale_a = parse_scale(a, Operand::A);
  kind.epilogue.scale_b = parse_scale(b, Operand::B);
  kind.epilogue.out_dtype = output;
  return normalised(kind);
}

std::vector<ProductKind> scaled_kinds() {
  std::vector<ProductKind> kinds = {scaled_kind("row", "column")};
  for (const char* const a : {"block:1x128@mn", "block:1x128@k"}) {
    for (const char* const b :
         {"block:128x128", "block:128x128@k4", "block:1x128@mn", "block:1x128@k"}) {
      kinds.push_back(scaled_kind(a, b));
    }
  }
  for (const char* const lines : {"", "row"}) {
    ProductKind promoted =
        *lines == 0 ? ProductKind{.dtype = DataType::E4M3} : scaled_kind("row", "column");
    promoted.accumulation = Accumulation::Promoted;
    kinds.push_back(promoted);
  }
  constexpr DataType kE5m2 = DataType::E5M2;
  kinds.push_back({.dtype = kE5m2});
  kinds.push_back(scaled_kind("tensor", "tensor", DataType::F16, kE5m2));
  kinds.push_back(scaled_kind("row", "column", DataType::BF16, kE5m2));
  kinds.push_back(scaled_kind("block:1x128@k", "block:128x128", DataType::BF16, kE5m2));
  return kinds;
}

// Decodes e4m3: sign, 4 bits of exponent with bias 7, 3 bits of mantissa; no infinity. Or e5m2: 5
// bits of exponent with bias 15, 2 of mantissa. For finite values.
double decoded(uint8_t bits, DataType type) {
  const int fraction = type == DataType::E5M2 ? 2 : 3;
  const int bias = type == DataType::E5M2 ? 15 : 7;
  const int exponent = (bits & 0x7F) >> fraction;
  const double mantissa = bits & ((1 << fraction) - 1);
  const double size = exponent == 0
                          ? std::ldexp(mantissa, 1 - bias - fraction)
                          : std::ldexp((1 << fraction) + mantissa, exponent - bias - fraction);
  return (bits & 0x80) != 0 ? -size : size;
}

template <class T>
std::vector<T> from_device(const void* data, int64_t count) {
  std::vector<T> values(static_cast<size_t>(count));
  copy_to_host(values.data(), data, values.size() * sizeof(T));
  return values;
}

// The index of a scale as the forms define it, apart from the code under test.
size_t scale_at(const std::string& form, int64_t lines, int64_t k_blocks, int64_t line, int64_t k) {
  const int64_t block = k / 128;
  const auto four = [](int64_t n) { return (n + 3) / 4 * 4; };
  if (form == "row" || form == "column") return static_cast<size_t>(line);
  if (form == "block:1x128@mn") return static_cast<size_t>(block * four(lines) + line);
  if (form == "block:1x128@k") return static_cast<size_t>(line * k_blocks + block);
  if (form == "block:128x128") return static_cast<size_t>(line / 128 * k_blocks + block);
  return static_cast<size_t>(line / 128 * four(k_blocks) + block);
}

TEST_CASE("scaled products equal sums over their scales' definition, computed on the host") {
  constexpr int64_t kM = 75;
  constexpr int64_t kN = 264;
  constexpr int64_t kK = 400;
  constexpr int64_t kBlocks = 4;
  const std::pair<const char*, const char*> pairs[] = {{"row", "column"},
                                                       {"block:1x128@mn", "block:128x128"},
                                                       {"block:1x128@k", "block:128x128@k4"},
                                                       {"block:1x128@mn", "block:1x128@k"},
                                                       {"block:1x128@k", "block:1x128@mn"}};
  for (size_t i = 0; i < 2 * std::size(pairs); ++i) {
    const auto& [of_a, of_b] = pairs[i / 2];
    const DataType dtype = i % 2 == 0 ? DataType::E4M3 : DataType::E5M2;
    const Problem problem{{kM, kN, kK}, scaled_kind(of_a, of_b, DataType::F32, dtype)};
    CAPTURE(to_string(problem));
    testing::GpuBench bench(problem);
    const Verification verification = bench.run(testing::sm90_config("cta=128x96x128", 3));
    CHECK_MESSAGE(verification.ok, verification.detail);
    const OperandSet& set = bench.operands();
    const auto a = from_device<uint8_t>(set.a, kM * kK);
    const auto b = from_device<uint8_t>(set.b, kN * kK);
    const auto d = from_device<float>(set.d, kM * kN);
    const auto scales_a =
        from_device<float>(set.scale_a, scale_layout(workload_of(problem), Operand::A).elements);
    const auto scales_b =
        from_device<float>(set.scale_b, scale_layout(workload_of(problem), Operand::B).elements);
    double worst = 0;
    for (int64_t row = 0; row < kM; ++row) {
      for (int64_t column = 0; column < kN; ++column) {
        double sum = 0;
        double magnitude = 0;
        for (int64_t k = 0; k < kK; ++k) {
          const double term = decoded(a[static_cast<size_t>(row * kK + k)], dtype) *
                              decoded(b[static_cast<size_t>(column * kK + k)], dtype) *
                              double{scales_a[scale_at(of_a, kM, kBlocks, row, k)]} *
                              double{scales_b[scale_at(of_b, kN, kBlocks, column, k)]};
          sum += term;
          magnitude += std::fabs(term);
        }
        const double error = std::fabs(sum - double{d[static_cast<size_t>(row * kN + column)]});
        worst = std::max(worst, error / magnitude);
      }
    }
    // The tensor cores keep some 14 bits of the sums of 32 products.
    CHECK(worst < 1.0 / 4096);
    CHECK(worst > 0);
  }
}

TEST_CASE("random legal configs scale any shape right") {
  std::mt19937 random(46);
  constexpr size_t kConfigs = 4;
  std::vector<testing::Trial> trials;
  for (const ProductKind& kind : scaled_kinds()) {
    for (const char* const shape :
         {"1x8x16", "64x64x128", "65x72x144", "127x1000x1024", "1000x1032x4112", "3x4096x80",
          "300x2056x272", "777x2304x1040"}) {
      const Problem problem{parse_shape(shape), kind};
      trials.push_back(
          {problem, testing::random_legal_configs(problem, sm90_space(), kConfigs, random)});
    }
  }
  const testing::TrialCounts counts = testing::check_trials(trials);
  MESSAGE(counts.right, " configs are right, ", counts.refused, " refused by the compiler");
  CHECK(counts.right > trials.size() * kConfigs * 3 / 4);
}

TEST_CASE("divided tiles, clusters, swap_ab and ping-pong scale right") {
  const std::vector<std::string> texts = {
      "cta=128x128x128,decomposition=split-k:4:serial",
      "cta=128x160x128,decomposition=split-k:3:workspace",
      "cta=128x64x128,decomposition=split-k:5:atomic",
      "cta=128x64x128,decomposition=split-k:2:cluster",
      "cta=128x128x128,decomposition=split-k:3:reduce-scatter",
      "cta=128x64x128,decomposition=split-k:3:serial-tma",
      "cta=128x96x128,decomposition=stream-k:serial",
      "cta=128x128x128,cluster=2x1",
      "cta=128x192x128,cluster=1x2",
      "cta=192x128x128",
      "cta=256x128x128",
      "cta=256x128x128,cluster=1x2",
      "cta=256x80x128,decomposition=split-k:3:serial",
      "cta=128x80x128,schedule=pingpong",
      "cta=64x176x128,schedule=pingpong",
      "cta=64x64x128,schedule=pingpong",
      "cta=128x16x128,swap_ab=true",
      "cta=128x64x128,swap_ab=true,cluster=2x1",
      "cta=64x24x128,swap_ab=true,decomposition=split-k:4:serial"};
  std::vector<testing::Trial> trials;
  for (const ProductKind& kind : scaled_kinds()) {
    const Problem problem{{200, 1288, 2064}, kind};
    trials.push_back({problem, {}});
    for (const std::string& text : texts) {
      const TileConfig config = testing::sm90_config(text, 3);
      if (reject_config(problem, config, testing::h200())) continue;
      trials.back().configs.push_back(config);
    }
    CHECK(trials.back().configs.size() > texts.size() * 2 / 3);
  }
  CHECK(testing::check_trials(trials).refused == 0);
}

TEST_CASE("stacked gates and ups have their own columns' scales") {
  const std::vector<std::string> texts = {
      "cta=128x128x128", "cta=128x96x128,cluster=2x1", "cta=64x64x128,schedule=pingpong",
      "cta=128x64x128,swap_ab=true", "cta=128x32x128,decomposition=split-k:3:serial"};
  const std::pair<const char*, const char*> pairs[] = {{"row", "column"},
                                                       {"block:1x128@mn", "block:128x128"},
                                                       {"block:1x128@k", "block:128x128@k4"},
                                                       {"block:1x128@mn", "block:1x128@k"}};
  for (const auto& [of_a, of_b] : pairs) {
    // Halves of 648 columns: a block of 128 columns has gates and ups.
    Problem problem{{200, 1296, 2064}, scaled_kind(of_a, of_b)};
    problem.kind.epilogue.activation = Activation::Swiglu;
    problem.kind.epilogue.stacked = true;
    CAPTURE(to_string(problem));
    testing::GpuBench bench(problem);
    size_t right = 0;
    for (const std::string& text : texts) {
      const TileConfig config = testing::sm90_config(text, 3);
      if (reject_config(problem, config, testing::h200())) continue;
      CAPTURE(text);
      const Verification verification = bench.run(config);
      CHECK_MESSAGE(verification.ok, verification.detail);
      ++right;
    }
    CHECK(right >= 3);
    // A kernel whose gates and ups take turns reads the scales of other columns.
    Problem in_turn = problem;
    in_turn.kind.epilogue.stacked = false;
    bench.verifier().poison();
    bench.kernels().launch(
        make_plan(in_turn, testing::sm90_config("cta=128x128x128", 3), testing::h200()),
        {.operands = bench.operands()}, {});
    TW_CHECK(cudaDeviceSynchronize());
    CHECK(!bench.verifier().check(problem.kind.epilogue).ok);
  }
}

TEST_CASE("small: block scales") {
  const Problem problem{{200, 264, 656}, scaled_kind("block:1x128@mn", "block:128x128")};
  testing::GpuBench bench(problem);
  for (const char* const text : {"cta=128x96x128", "cta=192x128x128", "cta=256x128x128"}) {
    CAPTURE(text);
    const Verification verification = bench.run(testing::sm90_config(text, 3));
    CHECK_MESSAGE(verification.ok, verification.detail);
  }
}

TEST_CASE("packed groups scale right, whatever their rows and schedule") {
  std::mt19937 random(47);
  const std::vector<std::string> texts = {
      "cta=128x128x128,group_schedule=device-only",
      "cta=64x96x128,group_schedule=host-precompute",
      "cta=128x64x128,group_schedule=dynamic",
      "cta=128x128x128,cluster=2x1,group_schedule=device-only",
      "cta=128x32x128,swap_ab=true,group_schedule=device-only",
      "cta=128x24x128,swap_ab=true,group_schedule=host-precompute,problem_order=lpt"};
  for (const ProductKind& kind : scaled_kinds()) {
    for (const int64_t n : {int64_t{264}, int64_t{512}}) {
      Workload group = testing::packed_group(testing::random_rows(7, 300, random), n, 528);
      group.shapes.front().m = 65;
      group.kind = kind;
      CAPTURE(full_text(group));
      testing::GroupBench bench(group);
      std::vector<Plan> plans;
      for (const std::string& text : texts) {
        const TileConfig config = testing::sm90_config(text, 3);
        if (reject_workload(group, config, testing::h200())) continue;
        plans.push_back(make_plan(group, config, testing::h200()));
      }
      CHECK(plans.size() > texts.size() / 2);
      bench.kernels().build(plans);
      for (const Plan& plan : plans) {
        CAPTURE(to_string(plan.config));
        const Verification verification = bench.run(plan.config);
        CHECK_MESSAGE(verification.ok, verification.detail);
      }
    }
  }
}

}  // namespace
}  // namespace tilewright
