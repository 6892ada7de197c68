// Kernels of divided tiles compile free of spills; no GPU needed.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gpu/compile/parallel_compiler.hpp"
#include "gpu/launch/gemm_kernel.hpp"
#include "support/decompositions.hpp"
#include "support/devices.hpp"
#include "support/scaling.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

struct DividedKernel {
  TileConfig config;
  bool scaled;  // reads C as well
};

// Every reduction with every tile, alternating the ways to divide K that have it, and with and
// without C: to compile all takes minutes. Adds every way that is legal with a tile to `legal`.
std::vector<DividedKernel> divided_kernels(const Problem& problem, std::set<std::string>& legal) {
  std::vector<DividedKernel> kernels;
  size_t tile_count = 0;
  for (const char* const tile :
       {"cta=128x256x64,stages=4", "cta=256x128x64,stages=4", "cta=128x128x64,stages=6",
        "cta=192x128x64,stages=4", "cta=128x112x64,stages=4,schedule=pingpong",
        "cta=128x176x64,stages=4,cluster=2x1"}) {
    const ConfigRequest r = parse_config(tile);
    const bool second_pair = tile_count / 2 % 2 == 1;
    const std::string split = second_pair ? "split-k:2" : "split-k:4";
    std::map<std::string, std::vector<TileConfig>> ways;
    for (const std::string& decomposition :
         testing::decompositions_with_every_reduction({split, "stream-k"})) {
      const TileConfig config{.cta = r.values.cta,
                              .cluster = r.values.cluster,
                              .stages = r.values.stages,
                              .schedule = r.values.schedule,
                              .raster = {},
                              .decomposition = parse_decomposition(decomposition)};
      if (reject_config(problem, config, testing::h200())) continue;
      ways[decomposition.substr(decomposition.rfind(':') + 1)].push_back(config);
      legal.insert(decomposition);
    }
    size_t count = 0;  // of the tile's kernels
    for (const auto& [reduction, configs] : ways) {
      const TileConfig& config = configs[(tile_count + count) % configs.size()];
      kernels.push_back({config, (count + tile_count / 2) % 2 == 1});
      ++count;
    }
    ++tile_count;
  }
  return kernels;
}

TEST_CASE("kernels of divided tiles compile free of spills and of C75xx warnings") {
  const Problem problem{{1024, 1024, 32768}, {DataType::BF16}};
  std::set<std::string> legal;
  const std::vector<DividedKernel> kernels = divided_kernels(problem, legal);
  CHECK(kernels.size() > 40);
  std::set<std::string> divided;
  std::vector<KernelSource> sources;
  std::vector<std::string> names;
  for (const DividedKernel& kernel : kernels) {
    divided.insert(to_string(kernel.config.decomposition));
    const Problem scaled = testing::scaled(problem, kernel.scaled ? Scaling{1, 1} : Scaling{});
    for (const KernelSource& source :
         kernel_sources(make_plan(scaled, kernel.config, testing::h200()))) {
      sources.push_back(source);
      names.push_back(source.file + " of " + to_string(kernel.config));
    }
  }
  std::set<std::string> every_way;
  for (const std::string& way : legal) every_way.insert(to_string(parse_decomposition(way)));
  CHECK(divided == every_way);
  const CubinCache none(std::filesystem::path("/dev/null/none"));
  const std::vector<BuiltKernel> built = build_kernels(sources, "sm_90a", none);
  for (size_t i = 0; i < built.size(); ++i) {
    CHECK_MESSAGE(built[i].result.ok(), names[i], ": ", built[i].result.reason);
  }
}

}  // namespace
}  // namespace tilewright
