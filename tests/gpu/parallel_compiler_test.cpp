// Compilation without a GPU: a sample of the whole space compiles free of spills, through the
// cache.
#include "gpu/compile/parallel_compiler.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "gpu/compile/nvrtc.hpp"
#include "gpu/contenders/kernel_store.hpp"
#include "gpu/launch/gemm_kernel.hpp"
#include "search/enumerate.hpp"
#include "search/space.hpp"
#include "support/devices.hpp"
#include "support/random_configs.hpp"
#include "support/sm90_configs.hpp"
#include "support/temporary_folder.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"
#include "tile/workload/scale_layout.hpp"

namespace tilewright {
namespace {

using testing::TemporaryFolder;

const std::string kArchitecture = "sm_90a";

KernelSource source_of(TileShape cta) {
  const TileConfig config{.cta = cta, .cluster = {}, .stages = 3, .raster = {}};
  return kernel_sources(make_plan(Problem{{4096, 4096, 4096}}, config, testing::h200())).front();
}

std::vector<Plan> plans_of(const Problem& problem, const std::vector<TileConfig>& configs) {
  std::vector<Plan> plans;
  for (const TileConfig& config : configs) {
    plans.push_back(make_plan(problem, config, testing::h200()));
  }
  return plans;
}

KernelSource small_kernel() {
  return source_of({64, 64, 64});
}

TEST_CASE("a kernel is compiled once and found again") {
  const TemporaryFolder folder;
  const CubinCache cache(folder.path());
  const std::vector<KernelSource> sources{small_kernel(), small_kernel()};
  const std::vector<BuiltKernel> first = build_kernels(sources, kArchitecture, cache);
  REQUIRE(first.size() == 2);
  CHECK(first[0].result.ok());
  CHECK(!first[0].result.cached);
  CHECK(first[0].kernel.cubin == first[1].kernel.cubin);
  const std::vector<BuiltKernel> second = build_kernels(sources, kArchitecture, cache);
  CHECK(second[0].result.cached);
  CHECK(second[0].kernel.cubin == first[0].kernel.cubin);
  CHECK(second[0].result.registers == first[0].result.registers);
}

// One of our own programs, which compiles quickly.
const KernelSource kSmallest{.file = "tools/delay.cu", .config_header = ""};

// Writes `bytes` over every file of the folder.
void overwrite_all(const std::filesystem::path& folder, const std::string& bytes) {
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    std::ofstream(file.path(), std::ios::binary) << bytes;
  }
}

// The bytes of a file after each kind of damage.
std::vector<std::string> damages(const std::string& bytes) {
  std::vector<std::string> damaged{"", bytes + '\0', bytes + bytes,
                                   std::string(bytes.size(), '\0')};
  constexpr size_t kPlaces = 13;
  for (size_t i = 0; i < kPlaces; ++i) {
    const size_t at = i * (bytes.size() - 1) / (kPlaces - 1);
    damaged.push_back(bytes.substr(0, at));
    damaged.push_back(bytes.substr(at + 1));
    damaged.push_back(bytes);
    damaged.back()[at] = static_cast<char>(damaged.back()[at] ^ (1 << i % 8));
  }
  return damaged;
}

TEST_CASE("with any damage to a stored file, the kernel equals a fresh compilation") {
  const TemporaryFolder folder;
  const CubinCache cache(folder.path());
  const auto build = [&] { return build_kernels({&kSmallest, 1}, kArchitecture, cache).front(); };
  const CompiledKernel fresh = compile(kSmallest, kArchitecture);
  build();
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    const std::string whole = read_file(file.path());
    for (const std::string& bytes : damages(whole)) {
      std::ofstream(file.path(), std::ios::binary) << bytes;
      const BuiltKernel built = build();
      CHECK(!built.result.cached);
      CHECK(built.kernel.cubin == fresh.cubin);
      CHECK(parse_compiler_log(built.kernel.log) == parse_compiler_log(fresh.log));
      CHECK(built.result.registers > 0);
      CHECK(build().result.cached);  // repaired on disk as well
    }
  }
}

TEST_CASE("another kernel's entry is not used under this kernel's name") {
  const TemporaryFolder folder;
  const CubinCache cache(folder.path());
  build_kernels({&kSmallest, 1}, "sm_80", cache);
  const std::string other = read_file(std::filesystem::directory_iterator(folder.path())->path());
  build_kernels({&kSmallest, 1}, kArchitecture, cache);
  overwrite_all(folder.path(), other);
  CHECK(!build_kernels({&kSmallest, 1}, kArchitecture, cache)[0].result.cached);
  CHECK(build_kernels({&kSmallest, 1}, "sm_80", cache)[0].result.cached);
}

TEST_CASE("compiling removes files left by a killed process") {
  const TemporaryFolder folder;
  const std::filesystem::path left = folder.path() / "0123456789abcdef.XXXXXX.part";
  std::ofstream(left) << "half an ent";
  std::filesystem::last_write_time(
      left, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  build_kernels({&kSmallest, 1}, kArchitecture, CubinCache(folder.path()));
  CHECK(!std::filesystem::exists(left));
}

TEST_CASE("a cache that cannot be written costs only time") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "file";
  std::ofstream(file) << "not a folder";
  const std::vector<KernelSource> sources{small_kernel()};
  CHECK(build_kernels(sources, kArchitecture, CubinCache(file / "cache"))[0].result.ok());
}

TEST_CASE("the key differs between sources and between architectures") {
  const KernelSource other = source_of({64, 80, 64});
  CHECK(compilation_identity(small_kernel(), "sm_90a") != compilation_identity(other, "sm_90a"));
  CHECK(compilation_identity(small_kernel(), "sm_90a") !=
        compilation_identity(small_kernel(), "sm_90"));
}

TEST_CASE("a source that does not compile gives a result with the compiler's messages") {
  const TemporaryFolder folder;
  const std::vector<KernelSource> sources{
      {.file = "sm90/gemm_sm90.cu", .config_header = "#error no\n"}};
  const BuiltKernel built =
      build_kernels(sources, kArchitecture, CubinCache(folder.path())).front();
  CHECK(!built.result.ok());
  CHECK(built.result.reason.find("error") != std::string::npos);
  CHECK(std::filesystem::is_empty(folder.path()));  // tried again next time
}

// The deepest legal pipeline of every tile and cluster, alternating which operands are evicted
// first: what the register rule permits must not spill.
TEST_CASE("legal configs compile free of spills and of C75xx warnings") {
  const TemporaryFolder folder;
  const Problem problem{{8192, 8192, 8192}, {DataType::BF16}};
  std::map<std::string, TileConfig> kernels;
  for (const LegalKernel& kernel :
       enumerate(workload_of(problem), {sm90_space()}, testing::h200()).kernels) {
    const TileConfig& c = kernel.config;
    // Every second width in each of the two schedules, and fewer with clusters: to compile all
    // takes minutes.
    const bool taken = (c.cta.n / 16 % 2 == 0) == (c.schedule == KernelSchedule::PingPong);
    const bool odd = c.cta.n % 16 != 0 && c.cta.n % 48 != 24;
    if (!taken || odd || (c.cluster != ClusterShape{} && c.cta.n % 48 != 0)) continue;
    TileConfig& deepest = kernels[to_string(c.cta) + to_string(c.cluster) + to_string(c.schedule)];
    if (c.stages > deepest.stages) deepest = c;
  }
  std::vector<TileConfig> configs;
  const std::vector<EvictFirst> evictions = sm90_space().evict_first;
  for (const auto& named : kernels) {
    configs.push_back(named.second);
    configs.back().evict_first = evictions[configs.size() % evictions.size()];
  }
  // Tried only where rows of operands lie across cache lines.
  for (const char* const eight :
       {"cta=128x192x64,cluster=4x2,schedule=pingpong", "cta=256x192x64,cluster=4x2",
        "cta=192x128x64,cluster=2x4,schedule=pingpong", "cta=128x256x64,cluster=2x4",
        "cta=64x256x64,cluster=4x2", "cta=128x320x64,cluster=4x2"}) {
    configs.push_back(testing::sm90_config(eight, 3));
    REQUIRE(!reject_config(problem, configs.back(), testing::h200()));
  }
  REQUIRE(configs.size() > 60);
  const auto compiler = make_parallel_compiler(CubinCache(folder.path()));
  const std::vector<BuildResult> results =
      compiler->build(plans_of(problem, configs), kArchitecture);
  for (size_t i = 0; i < configs.size(); ++i) {
    CHECK_MESSAGE(results[i].ok(), to_string(configs[i]), ": ", results[i].reason);
  }
}

TEST_CASE("kernels of 8-bit operands compile free of spills") {
  const TemporaryFolder folder;
  const Problem problem{{8192, 8192, 8192}, {DataType::E4M3}};
  std::vector<TileConfig> configs;
  for (const char* const text :
       {"cta=128x256x128,cluster=2x1", "cta=192x160x128,cluster=1x2", "cta=64x24x128",
        "cta=128x128x128,schedule=pingpong", "cta=64x256x128,schedule=pingpong",
        "cta=128x64x128,decomposition=split-k:4:serial", "cta=128x64x128,decomposition=stream-k"}) {
    configs.push_back(testing::sm90_config(text, 3));
  }
  const auto compiler = make_parallel_compiler(CubinCache(folder.path()));
  const std::vector<BuildResult> results =
      compiler->build(plans_of(problem, configs), kArchitecture);
  for (size_t i = 0; i < configs.size(); ++i) {
    CHECK(!reject_config(problem, configs[i], testing::h200()));
    CHECK_MESSAGE(results[i].ok(), to_string(configs[i]), ": ", results[i].reason);
  }
}

// Compiles the widest legal tile of each height, in kernels that load scales into the stages.
TEST_CASE("groups with block scales compile free of spills") {
  const TemporaryFolder folder;
  std::vector<Plan> plans;
  std::vector<std::string> names;
  for (const char* const scale_b : {"block:128x128", "block:1x128@mn"}) {
    Workload group;
    group.kind.dtype = DataType::E4M3;
    group.kind.epilogue.scale_a = parse_scale("block:1x128@mn", Operand::A);
    group.kind.epilogue.scale_b = parse_scale(scale_b, Operand::B);
    group.kind = normalised(group.kind);
    group.shapes = {{1024, 4096, 7168}, {0, 4096, 7168}, {1000, 4096, 7168}};
    for (const int64_t m : {64, 128, 192, 256}) {
      for (const bool swap_ab : {false, true}) {
        for (const char* const schedule : {"host-precompute", "dynamic"}) {
          std::optional<TileConfig> widest;
          for (int n = 8; n <= 256; n += 8) {
            const TileConfig config = testing::sm90_config(
                format("cta={}x{}x128,group_schedule={},swap_ab={}", m, n, schedule, swap_ab), 3);
            if (!reject_workload(group, config, testing::h200())) widest = config;
          }
          REQUIRE(widest);
          plans.push_back(make_plan(group, *widest, testing::h200()));
          names.push_back(to_string(*widest) + " " + scale_b);
        }
      }
    }
  }
  const std::vector<BuildResult> results =
      make_parallel_compiler(CubinCache(folder.path()))->build(plans, kArchitecture);
  for (size_t i = 0; i < plans.size(); ++i) {
    CHECK_MESSAGE(results[i].ok(), names[i], ": ", results[i].reason);
  }
}

// Every family with every tile, alternating the clusters.
TEST_CASE("kernels of every family of rasters compile free of spills") {
  const TemporaryFolder folder;
  std::vector<TileConfig> configs;
  for (const char* const raster : {"triton:8", "cutlass3:8", "hilbert"}) {
    for (const TileShape cta : {TileShape{128, 112, 64}, {128, 256, 64}, {192, 160, 64}}) {
      const ClusterShape cluster =
          configs.size() % 2 == 0 ? ClusterShape{2, 1} : ClusterShape{1, 2};
      configs.push_back(
          {.cta = cta, .cluster = cluster, .stages = 4, .raster = parse_raster(raster)});
    }
  }
  const auto compiler = make_parallel_compiler(CubinCache(folder.path()));
  const std::vector<BuildResult> results =
      compiler->build(plans_of({{4096, 4096, 4096}}, configs), kArchitecture);
  for (size_t i = 0; i < configs.size(); ++i) {
    CHECK_MESSAGE(results[i].ok(), to_string(configs[i]), ": ", results[i].reason);
  }
}

// Every tile and warp grid of the family once, alternating layouts, widths of copies and
// decompositions: all combinations would take many minutes.
TEST_CASE("legal sm80 configs compile free of spills, for both architectures") {
  const TemporaryFolder folder;
  const auto compiler = make_parallel_compiler(CubinCache(folder.path()));
  constexpr MatrixLayout kLayouts[] = {MatrixLayout::TN, MatrixLayout::NN, MatrixLayout::NT,
                                       MatrixLayout::TT};
  constexpr const char* kShapes[] = {"4096x4096x4096", "4097x4095x4097", "4098x4102x4098",
                                     "4100x4100x4100"};
  std::mt19937 random(1);
  size_t compiled = 0;
  for (const MatrixLayout layout : kLayouts) {
    for (const char* const shape : kShapes) {
      const Problem problem{parse_shape(shape),
                            {DataType::BF16, layout, {.bias = compiled % 2 == 0}}};
      const std::vector<TileConfig> configs =
          testing::random_legal_configs(problem, sm80_space(), 3, random);
      // The architectures alternate, too, so that every layout and every shape is compiled for
      // both.
      const char* const target = (compiled / 3 + compiled / 12) % 2 == 0 ? "sm_90a" : "sm_80";
      const std::vector<BuildResult> results = compiler->build(plans_of(problem, configs), target);
      for (size_t i = 0; i < configs.size(); ++i) {
        CHECK_MESSAGE(results[i].ok(), target, " ", to_string(problem), ": ", to_string(configs[i]),
                      ": ", results[i].reason);
        ++compiled;
      }
    }
  }
  CHECK(compiled == 16 * 3);
}

TEST_CASE("sm80 kernels copy no wider than their operands' alignment") {
  const TileConfig config = config_of(parse_config("family=sm80,cta=64x64x32,warps=2x2,stages=2"));
  const auto header = [&config](int a, int b) {
    PlanOptions options;
    options.places.a.alignment = a;
    options.places.b.alignment = b;
    const Plan plan = make_plan(Problem{{64, 64, 64}}, config, testing::h200(), options);
    return kernel_sources(plan).front().config_header;
  };
  CHECK(header(16, 16).find(".a_copy_bytes = 16, .b_copy_bytes = 16") != std::string::npos);
  CHECK(header(2, 8).find(".a_copy_bytes = 2, .b_copy_bytes = 8") != std::string::npos);
}

TEST_CASE("legal skinny configs compile free of spills") {
  const TemporaryFolder folder;
  const auto compiler = make_parallel_compiler(CubinCache(folder.path()));
  const Problem problem{{8, 8192, 8192}, {DataType::BF16}};
  std::vector<TileConfig> configs;
  for (const LegalKernel& kernel :
       enumerate(workload_of(problem), {skinny_space()}, testing::h200()).kernels) {
    const bool divided = !std::holds_alternative<DataParallel>(kernel.config.decomposition);
    const bool taken = make_plan(problem, kernel.config, testing::h200()).slices() <= 2 &&
                       divided == (kernel.config.skinny.k_warps == 8);
    if (taken) configs.push_back(kernel.config);
  }
  REQUIRE(configs.size() > 30);
  const std::vector<BuildResult> results =
      compiler->build(plans_of(problem, configs), kArchitecture);
  for (size_t i = 0; i < configs.size(); ++i) {
    CHECK_MESSAGE(results[i].ok(), to_string(configs[i]), ": ", results[i].reason);
  }
}

}  // namespace
}  // namespace tilewright
