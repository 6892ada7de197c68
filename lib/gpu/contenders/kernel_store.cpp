#include "gpu/contenders/kernel_store.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/launch/resident_plan.hpp"
#include "stats/product_check.hpp"

namespace tilewright {
namespace {

std::string identity_of(std::span<const KernelSource> sources) {
  std::string text;
  for (const KernelSource& source : sources) text += source.file + "\n" + source.config_header;
  return text;
}

int alignment_of(const void* address) {
  constexpr uintptr_t kMax = 16;
  const auto value = reinterpret_cast<uintptr_t>(address) | kMax;
  return static_cast<int>(value & (~value + 1));
}

const BuiltKernel& worst(const std::vector<BuiltKernel>& built) {
  for (const BuiltKernel& one : built) {
    if (!one.result.ok()) return one;
  }
  return built.front();
}

class ParallelCompiler : public KernelCompiler {
 public:
  explicit ParallelCompiler(const CubinCache& cache) : cache_(cache) {}

  std::vector<BuildResult> build(std::span<const Plan> plans,
                                 const std::string& architecture) override {
    return KernelStore(architecture, cache_).build(plans);
  }

 private:
  CubinCache cache_;
};

}  // namespace

KernelStore::KernelStore(std::string architecture, CubinCache cache)
    : architecture_(std::move(architecture)), cache_(std::move(cache)) {}

std::vector<BuildResult> KernelStore::build(std::span<const Plan> plans) {
  std::vector<KernelSource> sources;
  std::vector<std::pair<Entry*, size_t>> missing;  // an entry and how many sources it has
  std::vector<Entry*> entries;
  for (const Plan& plan : plans) {
    const std::vector<KernelSource> own = kernel_sources(plan);
    const auto [at, is_new] = entries_.try_emplace(identity_of(own));
    entries.push_back(&at->second);
    if (!is_new) continue;
    missing.emplace_back(&at->second, own.size());
    sources.insert(sources.end(), own.begin(), own.end());
  }
  std::vector<BuiltKernel> built = build_kernels(sources, architecture_, cache_);
  auto next = built.begin();
  for (const auto& [entry, count] : missing) {
    for (size_t i = 0; i < count; ++i) entry->built.push_back(std::move(*next++));
  }
  std::vector<BuildResult> results;
  for (const Entry* entry : entries) {
    results.push_back(worst(entry->built).result);
    const Plan& plan = plans[results.size() - 1];
    results.back().smem_bytes = record_of(plan.config.family).dynamic_smem_bytes(plan.kernel);
  }
  return results;
}

KernelStore::Entry& KernelStore::find_or_build(const Plan& plan, KernelExtras extras) {
  const std::vector<KernelSource> sources = kernel_sources(plan, extras);
  Entry& entry = entries_[identity_of(sources)];
  if (entry.built.empty()) entry.built = build_kernels(sources, architecture_, cache_);
  const BuildResult& result = worst(entry.built).result;
  if (!result.ok()) {
    throw environment_error(format("{} has no kernel: {}", to_string(plan.config), result.reason));
  }
  if (!entry.loaded) {
    std::vector<std::string> cubins;
    for (const BuiltKernel& one : entry.built) cubins.push_back(one.kernel.cubin);
    entry.loaded = load_gemm_kernel(cubins, plan, extras);
  }
  return entry;
}

void* KernelStore::at_least(DeviceBuffer& buffer, int64_t bytes) {
  if (static_cast<int64_t>(buffer.bytes()) < bytes) {
    buffer = DeviceBuffer();  // frees the old one first
    buffer = DeviceBuffer(static_cast<size_t>(bytes));
    TW_CHECK(cudaMemset(buffer.get(), 0, buffer.bytes()));
    TW_CHECK(cudaStreamSynchronize(nullptr));  // a launch may be in a stream that does not wait
  }
  return buffer.get();
}

LoadedPlan KernelStore::load(const Plan& plan, KernelExtras extras) {
  const GemmKernel& kernel = *find_or_build(plan, extras).loaded;
  const Plan resident = resident_plan(plan, kernel);
  return {resident, kernel.make_launch(resident)};
}

void KernelStore::launch(const LoadedPlan& loaded, GemmLaunch launch) {
  launch.workspace = at_least(workspace_, loaded.launch->workspace_bytes());
  launch.scratch = at_least(scratch_, loaded.launch->scratch_bytes());
  loaded.launch->launch(launch);
}

void KernelStore::launch(const Plan& plan, const GemmLaunch& launch, KernelExtras extras) {
  PlanOptions options = plan.options;
  const OperandSet& o = launch.operands;
  options.places.a.alignment = alignment_of(o.a);
  options.places.b.alignment = alignment_of(o.b);
  options.places.d.alignment = alignment_of(o.d);
  const bool is_same = options == plan.options;
  this->launch(load(is_same ? plan : replan(plan, options), extras), launch);
}

std::vector<KernelStore::RedZone> KernelStore::red_zones(const LoadedPlan& loaded) {
  const auto behind = [](DeviceBuffer& buffer, int64_t bytes) {
    return static_cast<unsigned char*>(at_least(buffer, bytes + kRedZoneBytes)) + bytes;
  };
  return {{"the workspace", behind(workspace_, loaded.launch->workspace_bytes())},
          {"the scratch", behind(scratch_, loaded.launch->scratch_bytes())}};
}

void KernelStore::fill_red_zones(const LoadedPlan& loaded) {
  for (const RedZone& zone : red_zones(loaded)) {
    TW_CHECK(cudaMemset(zone.begin, kRedZoneByte, kRedZoneBytes));
  }
}

std::string KernelStore::check_and_clear_red_zones(const LoadedPlan& loaded) {
  std::string stray;
  for (const RedZone& zone : red_zones(loaded)) {
    std::vector<unsigned char> bytes(kRedZoneBytes);
    copy_to_host(bytes.data(), zone.begin, bytes.size());
    if (const auto at = first_overwritten(bytes); at && stray.empty()) {
      stray = format("it wrote a byte {} behind {}", *at, zone.name);
    }
    TW_CHECK(cudaMemset(zone.begin, 0, kRedZoneBytes));  // counters of a larger plan start at 0
  }
  return stray;
}

std::unique_ptr<KernelCompiler> make_parallel_compiler(const CubinCache& cache) {
  return std::make_unique<ParallelCompiler>(cache);
}

}  // namespace tilewright
