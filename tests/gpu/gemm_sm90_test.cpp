// The sm_90a kernel against float64: every kind of config, odd sizes, scaling, NaN and infinity.
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "search/enumerate.hpp"
#include "search/space.hpp"
#include "support/gpu_bench.hpp"
#include "tile/tile_config.hpp"

namespace tilewright {
namespace {

TileConfig config_of(const char* text) {
  const ConfigRequest r = parse_config(text);
  return {.cta = *r.cta,
          .cluster = r.cluster.value_or(ClusterShape{}),
          .stages = r.stages.value_or(3),
          .schedule = r.schedule.value_or(KernelSchedule::Cooperative),
          .raster = r.raster.value_or(Raster{}),
          .l2_promotion_bytes = 128,
          .swap_ab = r.swap_ab.value_or(false)};
}

// Configs that run on this device; the compiler's refusals are counted, not hidden.
std::vector<TileConfig> built(testing::GpuBench& bench, const std::vector<TileConfig>& configs,
                              int& refused) {
  std::vector<TileConfig> good;
  const std::vector<BuildResult> results = bench.kernels().build(bench.problem(), configs);
  for (size_t i = 0; i < configs.size(); ++i) {
    if (results[i].ok()) {
      good.push_back(configs[i]);
    } else {
      ++refused;
    }
  }
  return good;
}

std::vector<TileConfig> random_legal_configs(const Problem& problem, size_t count,
                                             std::mt19937& random) {
  const SearchSpace space = sm90_space();
  const std::vector<LegalKernel> kernels = enumerate(problem, space, testing::h200()).kernels;
  const auto pick = [&random](const auto& list) -> const auto& {
    return list[random() % list.size()];
  };
  std::vector<TileConfig> configs;
  while (configs.size() < count) {
    const LegalKernel& kernel = pick(kernels);
    TileConfig config = kernel.config;
    config.raster = pick(kernel.rasters);
    config.l2_promotion_bytes = pick(space.l2_promotion_bytes);
    configs.push_back(config);
  }
  return configs;
}

TEST_CASE("random legal configs compute any shape right") {
  std::mt19937 random(42);
  constexpr size_t kConfigsPerShape = 12;
  int refused = 0;
  size_t checked = 0;
  for (const char* const shape :
       {"1x8x8", "64x64x64", "65x72x8", "127x1000x24", "4097x1000x4104", "1000x8x3000", "3x4096x72",
        "2049x2056x136", "777x2304x520", "1664x1280x192", "5000x264x1032"}) {
    for (const DataType dtype : {DataType::BF16, DataType::F16}) {
      testing::GpuBench bench({parse_shape(shape), dtype});
      for (const TileConfig& config :
           built(bench, random_legal_configs(bench.problem(), kConfigsPerShape, random), refused)) {
        CAPTURE(to_string(bench.problem()));
        CAPTURE(to_string(config));
        const Verification verification = bench.run(config);
        CHECK_MESSAGE(verification.ok, verification.detail);
        ++checked;
      }
    }
  }
  MESSAGE(checked, " configs checked, ", refused, " refused by the compiler");
  CHECK(checked > 11 * 2 * kConfigsPerShape / 2);
}

// The kinds of problem: every layout, f32 results, a bias, and rows of D that TMA cannot store.
TEST_CASE("every layout, output type and bias computes right") {
  std::mt19937 random(43);
  constexpr size_t kConfigs = 4;
  int refused = 0;
  size_t checked = 0;
  for (const char* const shape :
       {"8x8x8", "1000x1000x200", "520x1032x136", "24x4096x264", "16x2056x1032", "2056x40x520"}) {
    for (const MatrixLayout layout :
         {MatrixLayout::TN, MatrixLayout::NN, MatrixLayout::NT, MatrixLayout::TT}) {
      for (const bool wide : {false, true}) {
        for (const bool bias : {false, true}) {
          Problem problem{.shape = parse_shape(shape), .layout = layout, .bias = bias};
          if (wide) problem.out_dtype = DataType::F32;
          testing::GpuBench bench(problem);
          for (const TileConfig& config :
               built(bench, random_legal_configs(problem, kConfigs, random), refused)) {
            CAPTURE(to_string(problem));
            CAPTURE(to_string(config));
            const Verification verification = bench.run(config);
            CHECK_MESSAGE(verification.ok, verification.detail);
            ++checked;
          }
        }
      }
    }
  }
  MESSAGE(checked, " configs checked, ", refused, " refused by the compiler");
  CHECK(checked > 6 * 4 * 4 * kConfigs / 2);
}

TEST_CASE("odd rows of D, swapped kernels and wide tiles compute right") {
  for (const char* const shape : {"301x403x264", "9x1001x520", "64x129x4096", "130x1288x72"}) {
    for (const char* const out : {"bf16", "f32"}) {
      Problem problem{.shape = parse_shape(shape)};
      problem.out_dtype = parse_output_type(out);
      problem = normalised(problem);
      testing::GpuBench bench(problem);
      for (const char* const text :
           {"cta=128x16x64,swap_ab=true,stages=6", "cta=64x72x64,swap_ab=true,schedule=pingpong",
            "cta=128x320x64,cluster=1x1", "cta=128x136x64,schedule=pingpong", "cta=64x8x64",
            "cta=256x48x64,swap_ab=true,cluster=2x1", "cta=192x104x64,swap_ab=true"}) {
        for (const Scaling scaling : {Scaling{1, 0}, Scaling{-2, 0.5F}}) {
          CAPTURE(to_string(problem));
          CAPTURE(text);
          CAPTURE(scaling.beta);
          const Verification verification = bench.run(config_of(text), scaling);
          CHECK_MESSAGE(verification.ok, verification.detail);
        }
      }
    }
  }
}

TEST_CASE("alpha and beta scale the product and the source") {
  for (const DataType dtype : {DataType::BF16, DataType::F16}) {
    testing::GpuBench bench({{513, 520, 264}, dtype});
    for (const char* const text : {"cta=128x128x64,cluster=2x1", "cta=64x96x64,cluster=1x2",
                                   "cta=192x112x64,schedule=pingpong"}) {
      for (const Scaling scaling :
           {Scaling{1, 1}, Scaling{0.5F, 0}, Scaling{-2, 0.25F}, Scaling{0, 1}}) {
        CAPTURE(text);
        CAPTURE(scaling.alpha);
        CAPTURE(scaling.beta);
        const Verification verification = bench.run(config_of(text), scaling);
        CHECK_MESSAGE(verification.ok, verification.detail);
      }
    }
  }
}

// Rows of A and of B (the columns of D) that hold NaN, +inf, -inf, and inf against inf: what is not
// finite spreads along its row and column as IEEE says, and nowhere else.
TEST_CASE("NaN and infinity propagate as IEEE says") {
  const Problem problem{{300, 264, 200}, DataType::BF16};
  testing::GpuBench bench(problem);
  constexpr uint16_t kNan = 0x7FC0;
  constexpr uint16_t kInf = 0x7F80;
  constexpr uint16_t kMinusInf = 0xFF80;
  const auto poke = [&](const void* matrix, int64_t row, int64_t column, uint16_t bits) {
    auto* const elements = static_cast<uint16_t*>(const_cast<void*>(matrix));
    copy_to_device(elements + row * problem.shape.k + column, &bits, sizeof(bits));
  };
  poke(bench.operands().a, 3, 5, kNan);
  poke(bench.operands().a, 130, 199, kInf);
  poke(bench.operands().a, 131, 0, kMinusInf);
  poke(bench.operands().a, 299, 64, kInf);
  poke(bench.operands().b, 263, 64, kMinusInf);
  poke(bench.operands().b, 100, 10, kInf);
  for (const char* const text : {"cta=128x128x64,cluster=2x1", "cta=256x176x64",
                                 "cta=64x64x64,cluster=1x2,schedule=pingpong"}) {
    CAPTURE(text);
    const Verification verification = bench.run(config_of(text));
    CHECK_MESSAGE(verification.ok, verification.detail);
  }
}

TEST_CASE("the verifier sees a wrong element, a missing one and a NaN") {
  const Problem problem{{256, 256, 128}, DataType::BF16};
  testing::GpuBench bench(problem);
  const TileConfig config = config_of("cta=128x128x64");
  REQUIRE(bench.run(config).ok);
  auto* const d = static_cast<uint16_t*>(bench.operands().d);
  uint16_t right = 0;
  copy_to_host(&right, d + 1000, sizeof(right));
  const auto check_with = [&](uint16_t bits) {
    copy_to_device(d + 1000, &bits, sizeof(bits));
    return bench.verifier().check({});
  };
  CHECK(!check_with(static_cast<uint16_t>(right ^ 0x8000)).ok);  // the other sign
  CHECK(!check_with(0x7FC0).ok);
  const Verification untouched = check_with(0xFFFF);
  CHECK(!untouched.ok);
  CHECK(untouched.detail == "1 elements were never written, first at row 3, column 232");
  CHECK(check_with(right).ok);
}

TEST_CASE("launches of one config are bitwise repeatable") {
  const Problem problem{{1000, 1000, 1000}, DataType::BF16};
  testing::GpuBench bench(problem);
  const size_t count = 1000 * 1000;
  for (const char* const text :
       {"cta=128x176x64,cluster=2x1,schedule=pingpong", "cta=256x128x64"}) {
    std::vector<uint16_t> first(count);
    std::vector<uint16_t> again(count);
    REQUIRE(bench.run(config_of(text)).ok);
    copy_to_host(first.data(), bench.operands().d, count * 2);
    for (int i = 0; i < 20; ++i) {
      REQUIRE(bench.run(config_of(text)).ok);
      copy_to_host(again.data(), bench.operands().d, count * 2);
      CHECK(first == again);
    }
  }
}

}  // namespace
}  // namespace tilewright
