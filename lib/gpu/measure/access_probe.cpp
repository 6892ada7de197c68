#include "gpu/measure/access_probe.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/compile/parallel_compiler.hpp"
#include "gpu/contenders/memory.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "gpu/measure/range_profiler.hpp"

namespace tilewright {
namespace {

KernelSource probe_source(std::string_view kind, const AccessOp& op) {
  return {.file = "tools/access_probe.cu",
          .config_header =
              format("#pragma once\n"
                     "#include \"tools/access_probe_args.cuh\"\n"
                     "inline constexpr tw::ProbedAccess kAccess{{.kind = tw::ProbedKind::{}, "
                     ".bytes = {}, .matrices = {}, .transposed = {}}};\n",
                     kind, op.bytes, op.matrices, op.transposed ? "true" : "false")};
}

std::string_view kind_name(AccessKind kind) {
  switch (kind) {
    case AccessKind::Load: return "Load";
    case AccessKind::Store: return "Store";
    case AccessKind::LoadMatrix: return "LoadMatrix";
    case AccessKind::StoreMatrix: return "StoreMatrix";
  }
  return "None";
}

int shared_memory_limit(int device_index) {
  int bytes = 0;
  TW_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device_index));
  return bytes;
}

void require_inside(const WarpAccess& access, int limit) {
  require_aligned(access);
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const int64_t address = access.addresses[static_cast<size_t>(lane)];
    if (address + access.op.bytes <= limit) continue;
    throw usage_error(format("lane {}: address {} lies beyond the {} bytes of shared memory", lane,
                             address, limit));
  }
}

// The kernels of all operations that occur, compiled together.
class ProbeKernels {
 public:
  ProbeKernels(std::span<const WarpAccess> accesses, const std::string& architecture,
               const CubinCache& cache, int smem_bytes)
      : shape_{.ctas = 1, .threads = kWarpLanes, .cluster_size = 1, .smem_bytes = smem_bytes} {
    std::vector<KernelSource> sources{empty_probe_source()};
    std::vector<std::string> names{kEmpty};
    for (const WarpAccess& access : accesses) {
      const std::string name = to_string(access.op);
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      names.push_back(name);
      sources.push_back(access_probe_source(access.op));
    }
    const std::vector<BuiltKernel> built = build_kernels(sources, architecture, cache);
    for (size_t i = 0; i < built.size(); ++i) {
      if (built[i].kernel.cubin.empty()) {
        throw internal_error(
            format("the probe of {} does not compile: {}", names[i], built[i].result.reason));
      }
      const auto& kernel =
          kernels_.try_emplace(names[i], built[i].kernel.cubin, "access_probe").first->second;
      kernel.allow_smem(smem_bytes);
    }
  }

  void launch_empty(const int* addresses, unsigned* sink) const { launch(kEmpty, addresses, sink); }
  void launch(const std::string& name, const int* addresses, unsigned* sink) const {
    void* arguments[] = {&addresses, &sink};
    kernels_.at(name).launch(shape_, arguments, nullptr);
  }

 private:
  static constexpr const char* kEmpty = "empty";

  LaunchShape shape_;
  std::map<std::string, LoadedKernel> kernels_;
};

// 32 offsets per access. Lanes that a matrix instruction ignores get a harmless address.
std::vector<int> device_offsets(std::span<const WarpAccess> accesses) {
  std::vector<int> offsets;
  for (const WarpAccess& access : accesses) {
    for (const int64_t address : access.addresses) {
      const bool ignored = is_matrix(access.op) && address == kInactive;
      offsets.push_back(ignored ? 0 : static_cast<int>(address));
    }
  }
  return offsets;
}

ProbedWavefronts difference(const std::vector<double>& values, const std::vector<double>& empty) {
  return {
      .loads = values[0] - empty[0], .stores = values[1] - empty[1], .all = values[2] - empty[2]};
}

}  // namespace

double wavefronts_of(const ProbedWavefronts& probed, const AccessOp& op) {
  return is_store(op) ? probed.stores : probed.loads;
}

KernelSource access_probe_source(const AccessOp& op) {
  return probe_source(kind_name(op.kind), op);
}

KernelSource empty_probe_source() {
  return probe_source("None", {});
}

std::vector<ProbedWavefronts> probe_accesses(int device_index, const std::string& architecture,
                                             const CubinCache& cache,
                                             std::span<const WarpAccess> accesses) {
  const int smem_bytes = shared_memory_limit(device_index);
  for (const WarpAccess& access : accesses) require_inside(access, smem_bytes);
  const ProbeKernels kernels(accesses, architecture, cache, smem_bytes);
  const std::vector<int> offsets = device_offsets(accesses);
  const DeviceBuffer buffer((offsets.size() + kWarpLanes) * sizeof(int));
  const DeviceBuffer sink(kWarpLanes * sizeof(unsigned));
  copy_to_device(buffer.get(), offsets.data(), offsets.size() * sizeof(int));
  const std::vector<std::string> metrics = {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                                            "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                                            "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"};
  // Launch 0 is the empty kernel, launch i + 1 is access i.
  const MetricSeries series =
      read_metrics_each(metrics, device_index, accesses.size() + 1, [&](size_t i) {
        if (i == 0) return kernels.launch_empty(buffer.as<int>(), sink.as<unsigned>());
        kernels.launch(to_string(accesses[i - 1].op),
                       buffer.as<int>() + (i - 1) * static_cast<size_t>(kWarpLanes),
                       sink.as<unsigned>());
      });
  if (!series.why_not.empty()) throw environment_error(series.why_not);
  std::vector<ProbedWavefronts> probed;
  for (size_t i = 1; i < series.values.size(); ++i) {
    probed.push_back(difference(series.values[i], series.values.front()));
  }
  return probed;
}

}  // namespace tilewright
