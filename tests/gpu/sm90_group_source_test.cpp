// Kernels of groups compile free of spills; no GPU needed.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gpu/compile/parallel_compiler.hpp"
#include "gpu/launch/gemm_kernel.hpp"
#include "support/devices.hpp"
#include "support/scaling.hpp"
#include "support/sm90_configs.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

Workload group_of(DataType output) {
  Workload group{.shapes = {{4096, 4096, 4096}, {0, 4096, 4096}, {4000, 4096, 4096}}};
  if (output != group.kind.dtype) group.kind.epilogue.out_dtype = output;
  return group;
}

void check_compiles(const Workload& group, const std::vector<TileConfig>& configs) {
  std::vector<KernelSource> sources;
  std::vector<std::string> names;
  for (const TileConfig& config : configs) {
    const auto rejection = reject_workload(group, config, testing::h200());
    REQUIRE_MESSAGE(!rejection, to_string(config), ": ", rejection->reason);
    // A ping-pong kernel that also reads C has no registers left from 96 accumulators on.
    const bool cooperative = config.schedule == KernelSchedule::Cooperative;
    const bool reads_c = cooperative && names.size() % 2 == 1;
    const Plan plan = make_plan(testing::scaled(group, reads_c ? Scaling{1, 1} : Scaling{}), config,
                                testing::h200());
    sources.push_back(kernel_sources(plan).front());
    names.push_back(to_string(config));
  }
  const CubinCache none(std::filesystem::path("/dev/null/none"));
  const std::vector<BuiltKernel> built = build_kernels(sources, "sm_90a", none);
  for (size_t i = 0; i < built.size(); ++i) {
    CHECK_MESSAGE(built[i].result.ok(), names[i], ": ", built[i].result.reason);
    // The state of a walk must be in registers: from local memory a tile took 3 us more.
    const bool in_registers = built[i].kernel.log.find(" 0 bytes stack frame") != std::string::npos;
    CHECK_MESSAGE(in_registers, names[i]);
  }
}

// Every tile with every schedule, alternating groups that differ in M only with other groups: to
// compile all takes minutes.
TEST_CASE("kernels of groups compile free of spills and of C75xx warnings") {
  std::vector<TileConfig> of_rows;
  std::vector<TileConfig> of_own;
  size_t count = 0;
  for (const char* const tile :
       {"cta=128x256x64,stages=4,cluster=2x1", "cta=256x128x64,stages=4",
        "cta=128x128x64,stages=4,schedule=pingpong", "cta=64x256x64,stages=4",
        "cta=192x160x64,stages=4,cluster=1x2", "cta=256x32x64,stages=5,swap_ab=true",
        "cta=128x16x64,stages=8,swap_ab=true", "cta=256x64x64,stages=4,swap_ab=true,cluster=2x1",
        "cta=128x96x64,stages=4,swap_ab=true,schedule=pingpong",
        "cta=192x64x64,stages=4,schedule=pingpong", "cta=128x128x64,stages=4,cluster=4x2",
        "cta=64x64x64,stages=4,cluster=2x4"}) {
    for (const char* const schedule : {"device-only", "host-precompute", "dynamic"}) {
      TileConfig config = testing::sm90_config(tile, 4);
      config.group_schedule = parse_group_schedule(schedule);
      config.raster = parse_raster(count % 5 == 0 ? "hilbert" : "swizzle-merge:4");
      (count++ % 2 == 0 ? of_rows : of_own).push_back(config);
    }
  }
  check_compiles(group_of(DataType::BF16), of_rows);
  check_compiles(group_of(DataType::F32), {of_rows[0], of_own[3], of_own[8]});
  Workload own = group_of(DataType::BF16);
  own.shapes.push_back({64, 4096, 64});
  check_compiles(own, of_own);
  std::vector<TileConfig> divided;
  for (const char* const tile : {"cta=128x224x64,decomposition=split-k:4:serial,cluster=2x1",
                                 "cta=128x112x64,schedule=pingpong,decomposition=split-k:4:atomic",
                                 "cta=192x128x64,decomposition=split-k:4:atomic",
                                 "cta=64x64x64,decomposition=split-k:8:atomic",
                                 "cta=64x32x64,swap_ab=true,decomposition=split-k:2:serial"}) {
    divided.push_back(
        testing::sm90_config(std::string(tile) + ",group_schedule=host-precompute", 3));
  }
  check_compiles(own, divided);
  check_compiles(group_of(DataType::BF16), divided);
  divided[0].cta.n = 192;
  divided[1].cta.n = 96;
  check_compiles(group_of(DataType::F32), divided);
}

}  // namespace
}  // namespace tilewright
