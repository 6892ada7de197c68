// Kernels of divided tiles compile free of spills; no GPU needed.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gpu/compile/parallel_compiler.hpp"
#include "gpu/launch/gemm_kernel.hpp"
#include "support/devices.hpp"
#include "support/divisions.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

// Every reduction with every tile, in turn with the ways to divide K: compiling all takes minutes.
std::vector<TileConfig> divided_configs(const Problem& problem) {
  std::vector<TileConfig> configs;
  size_t tiles = 0;
  for (const char* const tile :
       {"cta=128x256x64,stages=4", "cta=256x128x64,stages=4", "cta=128x128x64,stages=6",
        "cta=192x128x64,stages=4", "cta=128x112x64,stages=4,schedule=pingpong",
        "cta=128x176x64,stages=4,cluster=2x1"}) {
    const ConfigRequest r = parse_config(tile);
    const bool odd = tiles++ % 2 == 1;
    const std::string split = odd ? "split-k:2" : "split-k:4";
    for (const std::string& decomposition :
         testing::divisions_with_every_reduction({split, "stream-k"})) {
      const TileConfig config{.cta = r.values.cta,
                              .cluster = r.values.cluster,
                              .stages = r.values.stages,
                              .schedule = r.values.schedule,
                              .raster = {},
                              .decomposition = parse_decomposition(decomposition)};
      if (!reject_config(problem, config, testing::h200())) configs.push_back(config);
    }
  }
  return configs;
}

TEST_CASE("kernels of divided tiles compile free of spills and of C75xx warnings") {
  const Problem problem{{1024, 1024, 32768}, DataType::BF16};
  const std::vector<TileConfig> configs = divided_configs(problem);
  CHECK(configs.size() > 60);
  std::vector<KernelSource> sources;
  std::vector<std::string> names;
  for (const TileConfig& config : configs) {
    // Every second one reads C as well: compiling all takes minutes.
    const KernelExtras extras{.scaled = names.size() % 2 == 1};
    for (const KernelSource& source :
         kernel_sources(make_plan(problem, config, testing::h200()), extras)) {
      sources.push_back(source);
      names.push_back(source.file + " of " + to_string(config));
    }
  }
  const CubinCache none(std::filesystem::path("/dev/null/none"));
  const std::vector<BuiltKernel> built = build_kernels(sources, "sm_90a", none);
  for (size_t i = 0; i < built.size(); ++i) {
    CHECK_MESSAGE(built[i].result.ok(), names[i], ": ", built[i].result.reason);
  }
}

}  // namespace
}  // namespace tilewright
