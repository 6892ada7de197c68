// Legal configs compile: a random draw of them, for products, groups and rank-k updates, is free of
// spills and of C75xx warnings; no GPU needed.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "gpu/compile/parallel_compiler.hpp"
#include "gpu/launch/gemm_kernel.hpp"
#include "search/space.hpp"
#include "support/decompositions.hpp"
#include "support/devices.hpp"
#include "support/random_cases.hpp"
#include "support/random_configs.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

using testing::pick;

// A workload that is large enough for every tile, divided in every way. Every second N has rows
// that TMA cannot store.
Workload random_workload(std::mt19937& random) {
  constexpr MatrixLayout kLayouts[] = {MatrixLayout::TN, MatrixLayout::TN, MatrixLayout::NN,
                                       MatrixLayout::NT, MatrixLayout::TT};
  constexpr DataType kTypes[] = {DataType::BF16, DataType::BF16, DataType::F16, DataType::E4M3};
  Workload w;
  w.kind.dtype = pick(kTypes, random);
  w.kind.layout = pick(kLayouts, random);
  if (random() % 2 == 0) w.kind.epilogue = testing::random_epilogue(w.kind.dtype, random);
  const int64_t n = random() % 3 == 0 ? 4004 : 4096;
  const unsigned kind = random() % 8;
  Epilogue& e = w.kind.epilogue;
  if (kind >= 3) e.bias = e.row_bias = e.absmax = e.stacked = false;  // of no group or update
  if (kind < 2) {
    w.shapes = {{4096, n, 8192}};
  } else if (kind < 3) {
    w.shapes = {{8, n, 8192}};  // skinny
    w.kind.layout = MatrixLayout::TN;
  } else if (kind < 4) {
    w.shapes = {{4096, n, 2048}, {0, n, 2048}, {4000, n, 2048}};  // packed along M
  } else if (kind < 5) {
    w.shapes = {{4096, n, 2048}, {4096, n, 64}, {4096, n, 4096}};  // packed along K
  } else if (kind < 6) {
    w.shapes = {{4096, n, 2048}, {128, 4096, 4096}, {4000, 1024, 64}};
  } else {
    constexpr MatrixOp kOps[] = {MatrixOp::Syrk, MatrixOp::Syr2k, MatrixOp::Her2k};
    constexpr Uplo kParts[] = {Uplo::Lower, Uplo::Upper, Uplo::Full};
    w.op = pick(kOps, random);
    e.activation = Activation::None;
    e.scale_d = false;
    if (e.out_dtype == DataType::E4M3) e.out_dtype.reset();
    w.uplo = pick(kParts, random);
    w.shapes = {{n, n, 2048}};
    if (random() % 2 == 0) w.shapes.push_back({2048, 2048, 4096});
  }
  return w;
}

// Any tile of a family's space with any division, raster and schedule; not always legal.
TileConfig random_config(const Workload& workload, std::mt19937& random) {
  static const std::vector<SearchSpace> spaces = all_spaces();
  static const std::vector<std::string> divided = testing::decompositions_with_every_reduction(
      {"split-k:2", "split-k:4", "stream-k", "stream-k:all", "stream-k:one-tile"});
  constexpr const char* kRasters[] = {"row",     "col",          "swizzle-merge:4", "split-merge:4",
                                      "hilbert", "cutlass3:2@n", "triton:8",        "snake:3"};
  const bool sm90_alone = !is_product(workload) || workload.kind.dtype == DataType::E4M3;
  const bool skinny = is_product(workload) && workload.shapes.front().m < 64;
  const SearchSpace& space = spaces[skinny ? 2 : sm90_alone ? 0 : random() % 3 / 2];
  TileConfig config = pick(tiles_of(space, workload.kind.dtype), random);
  config.stages = pick(space.stages, random);
  if (random() % 2 == 0) config.raster = parse_raster(pick(kRasters, random));
  if (random() % 2 == 0) config.decomposition = parse_decomposition(pick(divided, random));
  if (is_group(workload)) {
    config.group_schedule = static_cast<GroupSchedule>(random() % 3);
    config.problem_order = static_cast<ProblemOrder>(random() % 3);
  }
  if (is_triangular(workload) && random() % 4 == 0) config.visitor = Visitor::Plain;
  if (space.family == Family::Sm90) config.evict_first = pick(space.evict_first, random);
  return config;
}

TEST_CASE("legal configs compile free of spills and of C75xx warnings") {
  const testing::RandomCases cases = testing::random_cases("TILEWRIGHT_SOURCES", 24);
  std::mt19937 random(static_cast<unsigned>(cases.seed));
  std::vector<KernelSource> sources;
  std::vector<std::string> names;
  for (int drawn = 0; drawn < cases.count;) {
    const Workload workload = random_workload(random);
    const TileConfig config = random_config(workload, random);
    if (reject_workload(workload, config, testing::h200())) continue;
    ++drawn;
    const std::string name = format("{}: {}", to_string(workload), to_string(config));
    if (name.find(cases.only) == std::string::npos) continue;
    for (const KernelSource& source :
         kernel_sources(make_plan(workload, config, testing::h200()))) {
      sources.push_back(source);
      names.push_back(name);
    }
  }
  const CubinCache none(std::filesystem::path("/dev/null/none"));
  const std::vector<BuiltKernel> built = build_kernels(sources, "sm_90a", none);
  CAPTURE(cases.seed);
  for (size_t i = 0; i < built.size(); ++i) {
    CHECK_MESSAGE(built[i].result.ok(), sources[i].file, " of ", names[i], ": ",
                  built[i].result.reason);
  }
}

}  // namespace
}  // namespace tilewright
