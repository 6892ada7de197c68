// Divided tiles against float64: every reduction, clipped sizes, scaling, poisoned memory, and
// bitwise repeatability under delays if the parts are added in a fixed order.
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/decompositions.hpp"
#include "support/gpu_bench.hpp"
#include "support/sm90_configs.hpp"
#include "tile/config/tile_config.hpp"

namespace tilewright {
namespace {

TileConfig split_config(const std::string& text) {
  return testing::sm90_config(text, 4);
}

std::vector<std::string> all_decompositions() {
  return testing::decompositions_with_every_reduction({"split-k:2", "split-k:3", "split-k:4",
                                                       "split-k:7", "split-k:8", "stream-k",
                                                       "stream-k:one-tile", "stream-k:all"});
}

bool holds_zeros(const DeviceBuffer& buffer) {
  std::string bytes(buffer.bytes(), '\0');
  if (bytes.empty()) return true;
  copy_to_host(bytes.data(), buffer.get(), bytes.size());
  return bytes.front() == 0 && std::memcmp(&bytes[0], &bytes[1], bytes.size() - 1) == 0;
}

// Memory that a launch need not initialise holds NaN before it; the workspace holds zeros after it.
void check_with_poison(testing::GpuBench& bench, const TileConfig& config, Scaling scaling) {
  KernelStore& kernels = bench.kernels();
  if (kernels.scratch().bytes() > 0) {
    TW_CHECK(cudaMemset(kernels.scratch().get(), 0xFF, kernels.scratch().bytes()));
  }
  const Verification verification = bench.run(config, scaling);
  CHECK_MESSAGE(verification.ok, verification.detail);
  CHECK(holds_zeros(kernels.workspace()));
}

std::vector<TileConfig> legal_splits(const Problem& problem, const std::string& tile) {
  std::vector<TileConfig> configs;
  for (const std::string& decomposition : all_decompositions()) {
    const TileConfig config = split_config(format("{},decomposition={}", tile, decomposition));
    if (!reject_config(problem, config, testing::h200())) configs.push_back(config);
  }
  return configs;
}

// Returns the number of checked configs.
size_t check_all(const Problem& problem, const std::string& tile,
                 const std::vector<Scaling>& scalings) {
  testing::GpuBench bench(problem);
  const std::vector<TileConfig> configs = legal_splits(problem, tile);
  for (const BuildResult& built : build_all(bench, configs)) {
    CHECK_MESSAGE(built.ok(), built.reason);
  }
  for (const TileConfig& config : configs) {
    for (const Scaling& scaling : scalings) {
      CAPTURE(to_string(problem));
      CAPTURE(to_string(config));
      CAPTURE(scaling.beta);
      check_with_poison(bench, config, scaling);
    }
  }
  return configs.size();
}

TEST_CASE("every reduction computes clipped sizes right, whatever the workspace held") {
  struct Case {
    const char* shape;
    DataType dtype;
    const char* tile;
    bool scaled = false;
  };
  size_t checked = 0;
  for (const Case& c : {Case{"200x264x1000", DataType::BF16, "cta=128x128x64", true},
                        {"333x520x4104", DataType::F16, "cta=64x96x64,cluster=2x1"},
                        {"1000x392x2056", DataType::BF16, "cta=128x112x64,schedule=pingpong", true},
                        {"257x1032x648", DataType::F16, "cta=256x128x64,stages=3"},
                        {"129x200x3000", DataType::BF16, "cta=192x128x64,cluster=1x2,stages=3"},
                        {"700x648x520", DataType::F16, "cta=128x256x64,raster=split-merge:2"},
                        {"2000x1800x264", DataType::BF16, "cta=64x64x64"},
                        {"500x600x1032", DataType::BF16, "cta=128x96x64,cluster=2x2"},
                        {"600x500x1032", DataType::F16, "cta=64x64x64,cluster=1x4"},
                        {"600x500x1032", DataType::BF16, "cta=64x64x64,cluster=4x2"},
                        {"300x900x1032", DataType::F16, "cta=128x80x64,cluster=2x4"}}) {
    std::vector<Scaling> scalings = {{}, {}};
    if (c.scaled) scalings = {{}, {0.5F, 0}, {-2, 0.25F}};
    checked += check_all({parse_shape(c.shape), {c.dtype}}, c.tile, scalings);
  }
  MESSAGE(checked, " configs checked");
  CHECK(checked > 150);
}

TEST_CASE("divided tiles are right for every layout, output and bias, with and without swap_ab") {
  size_t checked = 0;
  for (const Problem& problem :
       {Problem{.shape = {136, 264, 712},
       .kind = {.layout = MatrixLayout::NT, .epilogue = {.bias = true}}},
        Problem{.shape = {72, 520, 1000}, .kind = {.layout = MatrixLayout::NN}},
        Problem{.shape = {200, 136, 648},
        .kind = {.dtype = DataType::F16,
                .layout = MatrixLayout::TT,
                .epilogue = {.out_dtype = DataType::F32, .bias = true}}},
        Problem{.shape = {129, 257, 519}}}) {
    for (const char* const tile : {"cta=128x64x64", "cta=64x48x64,swap_ab=true"}) {
      checked += check_all(problem, tile, {{}});
    }
  }
  CHECK(checked > 100);
}

// compute-sanitizer runs these one by one.
void check_small(const char* decomposition) {
  testing::GpuBench bench({{200, 264, 520}, {DataType::BF16}});
  const TileConfig config =
      split_config(format("cta=128x128x64,stages=3,decomposition={}", decomposition));
  REQUIRE(!reject_config(bench.problem(), config, testing::h200()));
  check_with_poison(bench, config, {});
  check_with_poison(bench, config, {});
}

TEST_CASE("small: data-parallel") {
  check_small("data-parallel");
}
TEST_CASE("small: split-k:3:serial") {
  check_small("split-k:3:serial");
}
TEST_CASE("small: split-k:3:serial-tma") {
  check_small("split-k:3:serial-tma");
}
TEST_CASE("small: split-k:3:atomic-tma") {
  check_small("split-k:3:atomic-tma");
}
TEST_CASE("small: split-k:3:atomic") {
  check_small("split-k:3:atomic");
}
TEST_CASE("small: split-k:3:workspace") {
  check_small("split-k:3:workspace");
}
TEST_CASE("small: split-k:4:cluster") {
  check_small("split-k:4:cluster");
}
TEST_CASE("small: split-k:3:reduce-scatter") {
  check_small("split-k:3:reduce-scatter");
}
TEST_CASE("small: split-k:3:in-place") {
  check_small("split-k:3:in-place");
}
TEST_CASE("small: stream-k:all:serial-tma") {
  check_small("stream-k:all:serial-tma");
}
TEST_CASE("small: stream-k:all:workspace") {
  check_small("stream-k:all:workspace");
}

std::vector<uint16_t> output_of(const testing::GpuBench& bench) {
  const GemmShape& shape = bench.problem().shape;
  std::vector<uint16_t> bits(static_cast<size_t>(shape.m * shape.n));
  copy_to_host(bits.data(), bench.operands().d, bits.size() * sizeof(bits[0]));
  return bits;
}

TEST_CASE("reductions in a fixed order give the same bits under delays, 100 times") {
  const Problem problem{{256, 256, 4096}, {DataType::BF16}};
  testing::GpuBench bench(problem);
  int compared = 0;
  for (const std::string& decomposition :
       testing::decompositions_with_every_reduction({"split-k:4", "split-k:16", "stream-k"})) {
    const TileConfig config =
        split_config(format("cta=128x128x64,decomposition={}", decomposition));
    const bool legal = !reject_config(problem, config, testing::h200());
    if (!legal || determinism_of(config.decomposition) != "bitwise") continue;
    ++compared;
    CAPTURE(decomposition);
    const Verification verification = bench.run(config);
    REQUIRE_MESSAGE(verification.ok, verification.detail);
    const std::vector<uint16_t> first = output_of(bench);
    int others = 0;
    for (int i = 0; i < 100; ++i) {
      bench.verifier().poison();
      bench.kernels().launch(bench.plan_of(config), {.operands = bench.operands()},
                             {.delays = true});
      if (output_of(bench) != first) ++others;
    }
    CHECK(others == 0);
  }
  CHECK(compared >= 12);
}

// The cost of the option: each part is rounded once more, to the 8 bits of bf16.
TEST_CASE("in-place reduction rounds once per split: its error grows with their number") {
  testing::GpuBench bench({{256, 256, 4096}, {DataType::BF16}});
  const auto error_of = [&](const char* decomposition) {
    const auto verification =
        bench.run(split_config(format("cta=128x128x64,decomposition={}", decomposition)));
    CHECK_MESSAGE(verification.ok, verification.detail);
    return verification.rel_error;
  };
  const double once = error_of("split-k:16:serial-tma");
  const double twice = error_of("split-k:2:in-place");
  const double often = error_of("split-k:16:in-place");
  MESSAGE("relative errors: ", once, " rounded once, ", twice, " by 2 parts, ", often, " by 16");
  CHECK(twice > 1.1 * once);
  CHECK(often > 1.5 * twice);
  CHECK(often < 4 * once);
}

TEST_CASE("reductions in any order are right under delays") {
  const Problem problem{{256, 256, 4096}, {DataType::F16}};
  testing::GpuBench bench(problem);
  for (const std::string& decomposition :
       testing::decompositions_with_every_reduction({"split-k:16", "stream-k"})) {
    const TileConfig config =
        split_config(format("cta=128x128x64,decomposition={}", decomposition));
    if (determinism_of(config.decomposition) == "bitwise") continue;
    for (int i = 0; i < 20; ++i) {
      bench.verifier().poison();
      bench.kernels().launch(bench.plan_of(config), {.operands = bench.operands()},
                             {.delays = true});
      const Verification verification = bench.verifier().check({});
      CHECK_MESSAGE(verification.ok, decomposition, ": ", verification.detail);
    }
  }
}

// More bytes of partial tiles than L2 holds: additions take long to reach memory, and one that came
// after the sum was taken would stay in the workspace.
TEST_CASE("partial tiles beyond L2 are summed completely, launch after launch") {
  ProductKind scaled{.dtype = DataType::E4M3, .epilogue = {.out_dtype = DataType::BF16}};
  scaled.epilogue.scale_a = parse_scale("block:1x128", Operand::A);
  scaled.epilogue.scale_b = parse_scale("block:1x128", Operand::B);
  for (const ProductKind& kind : {ProductKind{}, normalised(scaled)}) {
    const Problem problem{{2176, 12544, 1024}, kind};
    std::vector<TileConfig> configs;
    for (const char* const reduction : {"atomic-tma", "serial-tma", "atomic"}) {
      configs.push_back(
          split_config(format("cta=128x128x{},cluster=2x1,stages=5,raster=split-merge:4,"
                              "decomposition=split-k:4:{}",
                              128 / bytes_of(kind.dtype), reduction)));
    }
    testing::GpuBench bench(problem);
    for (const BuildResult& built : build_all(bench, configs)) {
      CHECK_MESSAGE(built.ok(), built.reason);
    }
    for (const TileConfig& config : configs) {
      CAPTURE(to_string(problem));
      CAPTURE(to_string(config));
      REQUIRE(!reject_config(problem, config, testing::h200()));
      for (int launch = 0; launch < 20; ++launch) {
        CAPTURE(launch);
        check_with_poison(bench, config, {});
      }
    }
  }
}

}  // namespace
}  // namespace tilewright
