#include "gpu/contenders/cubin_harness.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "gpu/launch/tensor_map.hpp"
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

// The bytes of a kernel's parameters and the pointers to them.
class ArgumentBlock {
 public:
  ArgumentBlock(const CubinLaunch& launch, const TilewrightHarnessOperands& operands) {
    for (const int bytes : launch.parameter_bytes) {
      parameters_.emplace_back(static_cast<size_t>(ceil_div(bytes, kLineBytes)));
      pointers_.push_back(parameters_.back().data());
    }
    for (const CubinArgument& argument : launch.arguments) {
      auto* const place =
          static_cast<std::byte*>(pointers_[static_cast<size_t>(argument.parameter)]) + argument.at;
      if (argument.type == ArgumentType::TensorMap) {
        const CUtensorMap map =
            make_tensor_map(address_of(argument, operands), shape_of(argument.map));
        std::memcpy(place, &map, sizeof(map));
        continue;
      }
      const uint64_t bits = argument.type == ArgumentType::Pointer
                                ? reinterpret_cast<uintptr_t>(address_of(argument, operands))
                                : argument.bits;
      std::memcpy(place, &bits, static_cast<size_t>(bytes_of(argument.type)));
    }
  }

  void** pointers() { return pointers_.data(); }

 private:
  static constexpr int kLineBytes = 64;  // the alignment of tensor maps
  struct alignas(kLineBytes) Line {
    std::byte bytes[kLineBytes] = {};
  };

  static TensorMapShape shape_of(const CubinTensorMap& map) {
    TensorMapShape shape{.element = map.element,
                         .dimensions = static_cast<int>(map.extents.size()),
                         .swizzle_bytes = map.swizzle_bytes,
                         .l2_promotion_bytes = map.l2_promotion_bytes};
    std::copy(map.extents.begin(), map.extents.end(), shape.extents.begin());
    std::copy(map.strides.begin(), map.strides.end(), shape.strides.begin());
    std::copy(map.box.begin(), map.box.end(), shape.box.begin());
    return shape;
  }

  std::vector<std::vector<Line>> parameters_;
  std::vector<void*> pointers_;
};

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
      ArgumentBlock arguments(launch, operands);
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
