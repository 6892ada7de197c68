// The sm_90a kernel against float64: every kind of config, odd sizes, scaling, NaN and infinity.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "search/space.hpp"
#include "support/gpu_bench.hpp"
#include "support/random_configs.hpp"
#include "support/sm90_configs.hpp"
#include "support/trials.hpp"

namespace tilewright {
namespace {

TileConfig sm90_config_of(const std::string& text) {
  return testing::sm90_config(text, 3);
}

TEST_CASE("random legal configs compute any shape right") {
  std::mt19937 random(42);
  constexpr size_t kConfigsPerShape = 12;
  std::vector<testing::Trial> trials;
  for (const char* const shape :
       {"1x8x8", "64x64x64", "65x72x8", "127x1000x24", "4097x1000x4104", "1000x8x3000", "3x4096x72",
        "2049x2056x136", "777x2304x520", "1664x1280x192", "5000x264x1032"}) {
    for (const DataType dtype : {DataType::BF16, DataType::F16}) {
      const Problem problem{parse_shape(shape), {dtype}};
      trials.push_back({problem, testing::random_legal_configs(problem, sm90_space(),
                                                               kConfigsPerShape, random)});
    }
  }
  const testing::TrialCounts counts = testing::check_trials(trials);
  MESSAGE(counts.right, " configs are right, ", counts.refused, " refused by the compiler");
  CHECK(counts.right > 11 * 2 * kConfigsPerShape / 2);
}

TEST_CASE("random legal configs multiply 8-bit operands right") {
  std::mt19937 random(45);
  constexpr size_t kConfigsPerShape = 10;
  std::vector<testing::Trial> trials;
  for (const char* const shape :
       {"1x8x16", "64x64x128", "65x72x144", "127x1000x1024", "1000x1032x4112", "3x4096x80",
        "2049x2056x272", "777x2304x8208"}) {
    for (const DataType output : {DataType::BF16, DataType::F16, DataType::F32}) {
      const bool bias = trials.size() % 2 == 0;
      const Problem problem{
          parse_shape(shape),
          normalised({.dtype = DataType::E4M3, .epilogue = {.out_dtype = output, .bias = bias}})};
      trials.push_back({problem, testing::random_legal_configs(problem, sm90_space(),
                                                               kConfigsPerShape, random)});
    }
  }
  const testing::TrialCounts counts = testing::check_trials(trials);
  MESSAGE(counts.right, " configs are right, ", counts.refused, " refused by the compiler");
  CHECK(counts.right > 8 * 3 * kConfigsPerShape / 2);
}

// Decodes e4m3: sign, 4 bits of exponent with bias 7, 3 bits of mantissa; no infinity.
double e4m3_value(uint8_t bits) {
  const int exponent = bits >> 3 & 15;
  const double mantissa = bits & 7;
  const double size =
      exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
  return (bits & 0x80) != 0 ? -size : size;
}

TEST_CASE("the product of 8-bit operands equals that of their values decoded on the host") {
  const Problem problem{{72, 136, 272},
                        {.dtype = DataType::E4M3, .epilogue = {.out_dtype = DataType::F32}}};
  testing::GpuBench bench(problem);
  REQUIRE(bench.run(sm90_config_of("cta=64x64x128")).ok);
  std::vector<uint8_t> a(72 * 272);
  std::vector<uint8_t> b(136 * 272);
  std::vector<float> d(72 * 136);
  copy_to_host(a.data(), bench.operands().a, a.size());
  copy_to_host(b.data(), bench.operands().b, b.size());
  copy_to_host(d.data(), bench.operands().d, d.size() * sizeof(float));
  double largest = 0;
  for (size_t row = 0; row < 72; ++row) {
    for (size_t column = 0; column < 136; ++column) {
      double sum = 0;
      for (size_t k = 0; k < 272; ++k) {
        sum += e4m3_value(a[row * 272 + k]) * e4m3_value(b[column * 272 + k]);
      }
      largest = std::max(largest, std::abs(sum - static_cast<double>(d[row * 136 + column])));
    }
  }
  CHECK(largest < 0.05);  // for sums of 272 products, of spread 5
}

// Every layout, f32 results, a bias, and rows of D that TMA cannot store.
TEST_CASE("every layout, output type and bias computes right") {
  std::mt19937 random(43);
  constexpr size_t kConfigs = 4;
  std::vector<testing::Trial> trials;
  for (const char* const shape :
       {"8x8x8", "1000x1000x200", "520x1032x136", "24x4096x264", "16x2056x1032", "2056x40x520"}) {
    for (const MatrixLayout layout :
         {MatrixLayout::TN, MatrixLayout::NN, MatrixLayout::NT, MatrixLayout::TT}) {
      for (const bool wide : {false, true}) {
        for (const bool bias : {false, true}) {
          Problem problem{.shape = parse_shape(shape),
                          .kind = {.layout = layout, .epilogue = {.bias = bias}}};
          if (wide) problem.kind.epilogue.out_dtype = DataType::F32;
          trials.push_back(
              {problem, testing::random_legal_configs(problem, sm90_space(), kConfigs, random)});
        }
      }
    }
  }
  const testing::TrialCounts counts = testing::check_trials(trials);
  MESSAGE(counts.right, " configs are right, ", counts.refused, " refused by the compiler");
  CHECK(counts.right > 6 * 4 * 4 * kConfigs / 2);
}

// Problems of one kind (types, layout, bias), and configs for the first; the others get those of
// them that are legal.
std::vector<testing::Trial> sm90_trials(size_t problems, size_t configs, std::mt19937& random) {
  constexpr int kMaxExtent = 3000;
  constexpr ClusterShape kLarge[] = {{2, 2}, {4, 1}, {1, 4}, {4, 2}, {2, 4}};
  SearchSpace large = sm90_space();
  large.clusters = {kLarge[random() % std::size(kLarge)]};
  std::vector<testing::Trial> trials = {{testing::random_problem(kMaxExtent, random), {}}};
  testing::Trial& first = trials.front();
  for (const SearchSpace& space : {sm90_space(), large, sm80_space(), skinny_space()}) {
    const auto drawn = testing::random_legal_configs(first.problem, space, configs / 4, random);
    first.configs.insert(first.configs.end(), drawn.begin(), drawn.end());
  }
  const std::vector<TileConfig> drawn = first.configs;
  while (trials.size() < problems) {
    testing::Trial trial{trials.front().problem, {}};
    trial.problem.shape = testing::random_problem(kMaxExtent, random).shape;
    for (const TileConfig& config : drawn) {
      if (!reject_config(trial.problem, config, testing::h200())) trial.configs.push_back(config);
    }
    trials.push_back(std::move(trial));
  }
  return trials;
}

// Checks kernels of any family on problems of every kind. Returns the number of pairs.
size_t check_random_pairs(size_t kinds, size_t problems, size_t configs, unsigned seed) {
  std::mt19937 random(seed);
  testing::TrialCounts total;
  size_t pairs = 0;
  for (size_t kind = 0; kind < kinds; ++kind) {
    const std::vector<testing::Trial> trials = sm90_trials(problems, configs, random);
    for (const testing::Trial& trial : trials) pairs += trial.configs.size();
    const testing::TrialCounts counts = testing::check_trials(trials);
    total.right += counts.right;
    total.refused += counts.refused;
  }
  MESSAGE(pairs, " pairs, ", total.right, " right, ", total.refused, " refused by the compiler");
  CHECK(total.right + total.refused == pairs);
  CHECK(total.refused * 50 < pairs);
  return pairs;
}

TEST_CASE("random pairs of problem and config of every family compute right") {
  check_random_pairs(12, 1, 8, 44);
}

// Compiles for minutes: run it with --no-skip.
TEST_CASE("ten thousand random pairs of problem and config compute right" * doctest::skip()) {
  CHECK(check_random_pairs(40, 30, 32, 45) >= 10'000);
}

TEST_CASE("odd rows of D, swap_ab and wide tiles compute right") {
  std::vector<TileConfig> configs;
  for (const char* const text :
       {"cta=128x16x64,swap_ab=true,stages=6", "cta=64x72x64,swap_ab=true,schedule=pingpong",
        "cta=128x320x64,cluster=1x1", "cta=128x136x64,schedule=pingpong", "cta=64x8x64",
        "cta=256x48x64,swap_ab=true,cluster=2x1", "cta=192x104x64,swap_ab=true"}) {
    configs.push_back(sm90_config_of(text));
  }
  std::vector<testing::Trial> trials;
  for (const char* const shape : {"301x403x264", "9x1001x520", "64x129x4096", "130x1288x72"}) {
    for (const char* const out : {"bf16", "f32"}) {
      Problem problem{.shape = parse_shape(shape)};
      problem.kind.epilogue.out_dtype = parse_output_type(out);
      problem.kind = normalised(problem.kind);
      trials.push_back({problem, configs, {Scaling{1, 0}, Scaling{-2, 0.5F}}});
    }
  }
  CHECK(testing::check_trials(trials).refused == 0);
}

TEST_CASE("alpha and beta scale the product and the source") {
  std::vector<TileConfig> configs;
  for (const char* const text : {"cta=128x128x64,cluster=2x1", "cta=64x96x64,cluster=1x2",
                                 "cta=192x104x64,schedule=pingpong"}) {
    configs.push_back(sm90_config_of(text));
  }
  std::vector<testing::Trial> trials;
  for (const DataType dtype : {DataType::BF16, DataType::F16}) {
    trials.push_back({{{513, 520, 264}, {dtype}},
                      configs,
                      {Scaling{1, 1}, Scaling{0.5F, 0}, Scaling{-2, 0.25F}, Scaling{0, 1}}});
  }
  CHECK(testing::check_trials(trials).refused == 0);
}

// Rows of A and of B (the columns of D) hold NaN, +inf, -inf, and inf against inf: non-finite
// values must spread along their row and column as IEEE 754 requires, and nowhere else.
TEST_CASE("NaN and infinity propagate as in IEEE 754") {
  const Problem problem{{300, 264, 200}, {DataType::BF16}};
  testing::GpuBench bench(problem);
  constexpr uint16_t kNan = 0x7FC0;
  constexpr uint16_t kInf = 0x7F80;
  constexpr uint16_t kMinusInf = 0xFF80;
  bench.poke(bench.operands().a, 3, 5, kNan);
  bench.poke(bench.operands().a, 130, 199, kInf);
  bench.poke(bench.operands().a, 131, 0, kMinusInf);
  bench.poke(bench.operands().a, 299, 64, kInf);
  bench.poke(bench.operands().b, 263, 64, kMinusInf);
  bench.poke(bench.operands().b, 100, 10, kInf);
  for (const char* const text : {"cta=128x128x64,cluster=2x1", "cta=256x176x64",
                                 "cta=64x64x64,cluster=1x2,schedule=pingpong"}) {
    CAPTURE(text);
    const Verification verification = bench.run(sm90_config_of(text));
    CHECK_MESSAGE(verification.ok, verification.detail);
  }
}

TEST_CASE("the verifier finds a wrong element, a missing one and a NaN") {
  const Problem problem{{256, 256, 128}, {DataType::BF16}};
  testing::GpuBench bench(problem);
  const TileConfig config = sm90_config_of("cta=128x128x64");
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
  CHECK(untouched.detail == "the kernel never wrote 1 elements, first at row 3, column 232");
  CHECK(check_with(right).ok);
}

TEST_CASE("launches of one config are bitwise repeatable") {
  const Problem problem{{1000, 1000, 1000}, {DataType::BF16}};
  testing::GpuBench bench(problem);
  const size_t count = 1000 * 1000;
  for (const char* const text :
       {"cta=128x176x64,cluster=2x1,schedule=pingpong", "cta=256x128x64"}) {
    std::vector<uint16_t> first(count);
    std::vector<uint16_t> again(count);
    REQUIRE(bench.run(sm90_config_of(text)).ok);
    copy_to_host(first.data(), bench.operands().d, count * 2);
    for (int i = 0; i < 20; ++i) {
      REQUIRE(bench.run(sm90_config_of(text)).ok);
      copy_to_host(again.data(), bench.operands().d, count * 2);
      CHECK(first == again);
    }
  }
}

}  // namespace
}  // namespace tilewright
