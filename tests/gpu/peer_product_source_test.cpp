// Kernels of products across GPUs compile free of spills; no GPU needed.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gpu/compile/parallel_compiler.hpp"
#include "support/devices.hpp"
#include "support/sm90_configs.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

TEST_CASE("kernels across GPUs compile free of spills and of C75xx warnings") {
  std::vector<KernelSource> sources;
  std::vector<std::string> names;
  DeviceSpec host = testing::h200();
  host.gpus = 4;
  for (const Collective collective : {Collective::ReduceScatter, Collective::AllGather}) {
    for (const char* const tile :
         {"cta=128x256x64,cluster=2x1", "cta=256x128x64,cluster=1x2", "cta=192x160x64",
          "cta=128x192x64,schedule=pingpong", "cta=64x256x64,schedule=pingpong,raster=hilbert",
          "cta=128x256x64,cluster=2x1,parts=bf16", "cta=64x128x64,parts=bf16,chunks=2",
          "cta=128x128x64,schedule=pingpong,parts=bf16,rank_order=ring,raster=swizzle-merge:8"}) {
      Workload workload;
      workload.parallel = {collective, 4};
      workload = with_shapes(workload, {{12288, 4096, 4096}});
      const TileConfig config = testing::sm90_config(tile, 4);
      if (reject_workload(workload, config, host)) {
        CHECK_MESSAGE(config.peers.parts != DataType::F32, to_string(config));
        continue;
      }
      sources.push_back(kernel_sources(make_plan(workload, config, host)).front());
      names.push_back(to_string(workload) + " " + to_string(config));
    }
  }
  REQUIRE(sources.size() == 13);
  const CubinCache none(std::filesystem::path("/dev/null/none"));
  const std::vector<BuiltKernel> built = build_kernels(sources, "sm_90a", none);
  for (size_t i = 0; i < built.size(); ++i) {
    CHECK_MESSAGE(built[i].result.ok(), names[i], ": ", built[i].result.reason);
  }
}

}  // namespace
}  // namespace tilewright
