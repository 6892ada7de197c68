#include "gpu/gemm_kernel.hpp"

#include "gpu/skinny_kernel.hpp"
#include "gpu/sm80_kernel.hpp"
#include "gpu/sm90_kernel.hpp"

namespace tilewright {

// One for each CTA of each slot.
int64_t GemmKernel::trace_record_count(const Problem& problem, const TileConfig& config) const {
  const auto slots =
      tw::slot_count<int64_t>(cluster_raster(config), cluster_grid(problem.shape, config));
  return slots * config.cluster.m * config.cluster.n;
}

std::vector<KernelSource> kernel_sources(const Problem& problem, const TileConfig& config,
                                         KernelExtras extras) {
  switch (config.family) {
    case Family::Sm80: return sm80_sources(problem, config, extras);
    case Family::Skinny: return skinny_sources(problem, config, extras);
    case Family::Sm90: break;
  }
  return sm90_sources(problem, config, extras);
}

int launch_smem_bytes(const Problem& problem, const TileConfig& config) {
  return smem_bytes(config, problem);
}

std::unique_ptr<GemmKernel> load_gemm_kernel(std::span<const std::string> cubins,
                                             const Problem& problem, const TileConfig& config,
                                             KernelExtras extras) {
  switch (config.family) {
    case Family::Sm80: return load_sm80_kernel(cubins, problem, config, extras);
    case Family::Skinny: return load_skinny_kernel(cubins, problem, config, extras);
    case Family::Sm90: break;
  }
  return load_sm90_kernel(cubins, problem, config, extras);
}

}  // namespace tilewright
