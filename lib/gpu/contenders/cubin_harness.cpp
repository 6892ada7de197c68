#include "gpu/contenders/cubin_harness.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "gpu/launch/tensor_map.hpp"
#include "harness/argument_block.hpp"
#include "harness/cubin_plan.hpp"

namespace tilewright {
namespace {

dim3 dim3_of(const CubinExtents& extents) {
  return {static_cast<unsigned>(extents[0]), static_cast<unsigned>(extents[1]),
          static_cast<unsigned>(extents[2])};
}

void set_attributes(const CubinLaunch& launch, LaunchSetup& setup) {
  if (launch.cluster != CubinExtents{1, 1, 1}) setup.set_cluster(dim3_of(launch.cluster));
  if (launch.programmatic) setup.set_programmatic();
  if (launch.cooperative) setup.set_cooperative();
}

TensorMapShape shape_of(const CubinTensorMap& map) {
  TensorMapShape shape{.element = map.element,
                       .dimensions = static_cast<int>(map.extents.size()),
                       .swizzle_bytes = map.swizzle_bytes,
                       .l2_promotion_bytes = map.l2_promotion_bytes};
  std::copy(map.extents.begin(), map.extents.end(), shape.extents.begin());
  std::copy(map.strides.begin(), map.strides.end(), shape.strides.begin());
  std::copy(map.box.begin(), map.box.end(), shape.box.begin());
  return shape;
}

ArgumentBlock::EncodedMap encoded(const CubinArgument& argument, const void* address) {
  static_assert(sizeof(CUtensorMap) == sizeof(ArgumentBlock::EncodedMap));
  const CUtensorMap map = make_tensor_map(address, shape_of(argument.map));
  ArgumentBlock::EncodedMap bytes;
  std::memcpy(bytes.data(), &map, sizeof(map));
  return bytes;
}

// A config of the manifest for one problem.
struct CubinState {
  CubinPlan plan;
  std::vector<const LoadedKernel*> kernels;  // of the launches
  ForeignMapping mapping;
};

class CubinHarness : public HarnessFile {
 public:
  explicit CubinHarness(CubinManifest manifest) : manifest_(std::move(manifest)) {}

  HarnessText describe() const override {
    return {.json = {}, .build = {}, .why_not = "is a manifest, which needs no process to read it"};
  }

  TilewrightHarnessPlan prepare(const Workload& workload,
                                const ForeignConfig& config) const override {
    auto state = std::make_unique<CubinState>();
    state->plan = plan_cubins(manifest_, workload, config.values);
    state->mapping = tilewright::mapping_of(manifest_, workload, config.values);
    state->mapping.cta = cta_needs(state->plan);
    for (const CubinLaunch& launch : state->plan.launches) {
      state->kernels.push_back(&loaded(launch));
    }
    TilewrightHarnessPlan plan{};
    plan.workspace_bytes = state->plan.workspace_bytes;
    plan.workspace_alignment = state->plan.workspace_alignment;
    plan.workspace_init = state->plan.workspace_init;
    plan.state = state.release();
    return plan;
  }

  std::string run(void* opaque, const TilewrightHarnessOperands& operands,
                  void* stream) const override {
    const CubinState& state = *static_cast<const CubinState*>(opaque);
    if (std::string why = misaligned_address(state.plan, operands); !why.empty()) return why;
    for (size_t i = 0; i < state.kernels.size(); ++i) {
      const CubinLaunch& launch = state.plan.launches[i];
      LaunchSetup setup(dim3_of(launch.grid), dim3_of(launch.block),
                        static_cast<size_t>(launch.shared_memory),
                        static_cast<cudaStream_t>(stream));
      set_attributes(launch, setup);
      ArgumentBlock arguments(launch, operands, encoded);
      try {
        state.kernels[i]->launch(setup, arguments.pointers());
      } catch (const Error& error) {
        return format("{}: {}", launch.place, error.what());
      }
    }
    return {};
  }

  void release(void* state) const override { delete static_cast<CubinState*>(state); }

  ForeignMapping mapping_of(const TilewrightHarnessPlan& plan) const override {
    return static_cast<const CubinState*>(plan.state)->mapping;
  }

 private:
  const LoadedKernel& loaded(const CubinLaunch& launch) const {
    const auto key = std::pair(launch.cubin, launch.entry);
    try {
      auto known = kernels_.find(key);
      if (known == kernels_.end()) {
        const std::string image = read_file(launch.cubin);
        known = kernels_.emplace(key, LoadedKernel(image, launch.entry.c_str())).first;
      }
      known->second.allow_smem(static_cast<int>(launch.shared_memory));
      return known->second;
    } catch (const Error& error) {
      throw usage_error(format("{}: {} with {} bytes of shared memory: {}", launch.place,
                               launch.cubin, launch.shared_memory, error.what()));
    }
  }

  CubinManifest manifest_;
  mutable std::map<std::pair<std::string, std::string>, LoadedKernel> kernels_;  // by cubin, entry
};

}  // namespace

std::unique_ptr<HarnessFile> open_cubin_harness(CubinManifest manifest) {
  return std::make_unique<CubinHarness>(std::move(manifest));
}

}  // namespace tilewright
