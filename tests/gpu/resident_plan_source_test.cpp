// How many CTAs of the sm90 family a multiprocessor holds: the family's count against the registers
// that NVRTC reports. Needs no GPU.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/math.hpp"
#include "base/text.hpp"
#include "gpu/compile/parallel_compiler.hpp"
#include "support/devices.hpp"
#include "support/sm90_configs.hpp"
#include "tile/family/rules.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

TEST_CASE("the family counts a second CTA where the compiled kernel has room, never one too many") {
  const DeviceSpec device = testing::h200();
  const Problem problem{{4096, 4096, 4096}, {DataType::BF16}};
  std::vector<Plan> plans;
  std::vector<KernelSource> sources;
  for (const char* const decomposition :
       {"data-parallel", "split-k:4:workspace", "split-k:4:atomic-tma", "split-k:2:serial",
        "split-k:2:cluster"}) {
    for (const int columns : {32, 64, 96, 128, 192}) {
      const TileConfig config =
          testing::sm90_config(format("cta=64x{}x64,decomposition={}", columns, decomposition), 4);
      plans.push_back(make_plan(problem, config, device));
      sources.push_back(kernel_sources(plans.back()).front());
    }
  }
  const std::vector<BuiltKernel> built =
      build_kernels(sources, architecture(device), CubinCache(open_cache_folder()));
  int shared = 0;
  for (size_t i = 0; i < plans.size(); ++i) {
    const auto& kernel = std::get<tw::Sm90Params>(plans[i].kernel);
    CAPTURE(to_string(plans[i].config));
    CAPTURE(built[i].result.registers);
    constexpr int kGranularity = 8;
    const int fits =
        resident_ctas(kernel.threads(), round_up(built[i].result.registers, kGranularity),
                      kernel.smem_bytes(), device);
    CHECK(plans[i].ctas_per_sm <= fits);
    CHECK(std::min(plans[i].ctas_per_sm, 2) == std::min(fits, 2));
    if (fits > 1) ++shared;
  }
  CHECK(shared >= 10);
  CHECK(shared < static_cast<int>(plans.size()));
}

}  // namespace
}  // namespace tilewright
