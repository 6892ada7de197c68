#include "gpu/kernel_store.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/kernel_source.hpp"

namespace tilewright {

KernelStore::KernelStore(std::string architecture, CubinCache cache)
    : architecture_(std::move(architecture)), cache_(std::move(cache)) {}

std::vector<KernelStore::Entry*> KernelStore::build_entries(
    std::span<const tw::TileParams> params) {
  std::vector<KernelSource> sources;
  std::vector<Entry*> missing;
  std::vector<Entry*> entries;
  for (const tw::TileParams& p : params) {
    KernelSource source = gemm_source(p);
    const auto [at, is_new] = entries_.try_emplace(source.config_header);
    entries.push_back(&at->second);
    if (is_new) {
      sources.push_back(std::move(source));
      missing.push_back(&at->second);
    }
  }
  std::vector<BuiltKernel> built = build_kernels(sources, architecture_, cache_);
  for (size_t i = 0; i < missing.size(); ++i) missing[i]->built = std::move(built[i]);
  return entries;
}

std::vector<BuildResult> KernelStore::build(DataType dtype, std::span<const TileConfig> configs) {
  std::vector<tw::TileParams> params;
  for (const TileConfig& config : configs) params.push_back(kernel_params(config, dtype));
  std::vector<BuildResult> results;
  for (const Entry* entry : build_entries(params)) {
    results.push_back(entry->built.result);
    results.back().smem_bytes = params[results.size() - 1].smem_bytes();
  }
  return results;
}

const GemmKernel& KernelStore::kernel(DataType dtype, const TileConfig& config,
                                      KernelExtras extras) {
  tw::TileParams params = kernel_params(config, dtype);
  params.source = extras.source;
  params.trace = extras.trace;
  Entry& entry = *build_entries({&params, 1}).front();
  if (!entry.built.result.ok()) {
    throw environment_error(
        format("{} has no kernel: {}", to_string(config), entry.built.result.reason));
  }
  if (!entry.loaded) {
    entry.loaded = std::make_unique<GemmKernel>(entry.built.kernel.cubin, params);
  }
  return *entry.loaded;
}

}  // namespace tilewright
