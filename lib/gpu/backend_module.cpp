// The module's one exported function: the Backend on CUDA.

#include <atomic>
#include <iostream>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/escape.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "gpu/backend.hpp"
#include "gpu/compile/cubin_cache.hpp"
#include "gpu/compile/nvrtc.hpp"
#include "gpu/compile/parallel_compiler.hpp"
#include "gpu/contenders/cubin_harness.hpp"
#include "gpu/contenders/kernel_store.hpp"
#include "gpu/contenders/reference_library.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/measure/access_probe.hpp"
#include "gpu/measure/cuda_link_prober.hpp"
#include "gpu/measure/cuda_prober.hpp"
#include "gpu/measure/diagnosis.hpp"
#include "gpu/measure/gpu_runner.hpp"
#include "gpu/measure/nvml.hpp"

namespace tilewright {
namespace {

// Opens a manifest with the program's reader.
OpenHarnessFile manifest_opener(const RunnerOptions& options) {
  if (!options.read_manifest) return {};
  return [read = options.read_manifest](const std::string& file) {
    return open_cubin_harness(read(file));
  };
}

std::string cuda_version_text(int version) {
  return format("{}.{}", version / 1000, version % 1000 / 10);
}

class CudaBackend : public Backend {
 public:
  int device_count() const override {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
  }

  std::string why_no_device() const override {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaSuccess) return count == 0 ? "the driver sees no GPU" : "";
    int driver = 0;
    cudaDriverGetVersion(&driver);
    return no_device_reason(driver, cudaGetErrorString(status));
  }

  DeviceSpec device(int index) const override {
    cudaDeviceProp p{};
    TW_CHECK(cudaGetDeviceProperties(&p, index));
    DeviceSpec spec;
    spec.name = p.name;
    spec.marketing_name = p.name;
    spec.compute_major = p.major;
    spec.compute_minor = p.minor;
    spec.sm_count = p.multiProcessorCount;
    spec.smem_per_cta_bytes = static_cast<int>(p.sharedMemPerBlockOptin);
    spec.registers_per_sm = p.regsPerMultiprocessor;
    spec.max_cluster_size = p.major >= 9 ? 8 : 1;
    spec.l2_bytes = p.l2CacheSize;
    spec.memory_bytes = static_cast<int64_t>(p.totalGlobalMem);
    spec.gpus = static_cast<int>(peers_of(index).size());
    return spec;
  }

  std::string device_uuid(int index) const override { return uuid_of_device(index); }

  std::string versions() const override {
    int driver = 0;
    int runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    const std::string own = driver == 0 ? "" : driver_release();
    return format("driver {}CUDA {}\nruntime {}\nNVRTC {}\n{}", own.empty() ? "" : own + ", ",
                  driver == 0 ? "none" : cuda_version_text(driver), cuda_version_text(runtime),
                  compiler_version(), ReferenceLibrary::version());
  }

  std::unique_ptr<KernelCompiler> open_compiler() override {
    return make_parallel_compiler(cache());
  }

  std::vector<std::string> compile(std::span<const KernelSource> sources,
                                   const std::string& architecture) override {
    std::vector<std::string> cubins;
    for (const BuiltKernel& built : build_kernels(sources, architecture, cache())) {
      if (!built.result.ok()) {
        throw internal_error(format("{}: {}", sources[cubins.size()].file, built.result.reason));
      }
      cubins.push_back(built.kernel.cubin);
    }
    return cubins;
  }

  std::unique_ptr<Runner> open_runner(int index, const DeviceSpec& spec,
                                      const RunnerOptions& options) override {
    require_device(index);
    return make_gpu_runner(index, spec, cache(), options.seed, options.regime,
                           manifest_opener(options), options.beside);
  }

  std::vector<std::string> runner_command(int index, const RunnerOptions& options) const override {
    require_device(index);
    std::vector<std::string> command = {
        "/proc/self/exe", "worker",
        "--device",       format("cuda:{}", index),
        "--seed",         format("{}", options.seed),
        "--regime",       std::string(kRegimes[static_cast<size_t>(options.regime)])};
    if (options.beside) command.insert(command.end(), {"--beside", to_string(*options.beside)});
    return command;
  }

  DeviceState device_state(int index) override {
    require_device(index);
    return GpuMonitor(device_uuid(index)).state();
  }

  std::vector<double> probe_wavefronts(int index, std::span<const WarpAccess> accesses) override {
    require_device(index);
    TW_CHECK(cudaSetDevice(index));
    TW_CHECK(cudaFree(nullptr));  // creates the context
    const std::vector<ProbedWavefronts> probed =
        probe_accesses(index, architecture(device(index)), cache(), accesses);
    std::vector<double> wavefronts;
    for (size_t i = 0; i < probed.size(); ++i) {
      wavefronts.push_back(wavefronts_of(probed[i], accesses[i].op));
    }
    return wavefronts;
  }

  std::unique_ptr<DeviceProber> open_prober(int index, const DeviceSpec& spec) override {
    require_device(index);
    return make_cuda_prober(index, spec, cache());
  }

  bool has_peer_access(int index, int peer) const override {
    int can_access = 0;
    TW_CHECK(cudaDeviceCanAccessPeer(&can_access, index, peer));
    return can_access != 0;
  }

  std::unique_ptr<LinkProber> open_link_prober(std::span<const int> gpus,
                                               const DeviceSpec& spec) override {
    for (const int gpu : gpus) require_device(gpu);
    return make_cuda_link_prober(gpus, spec, cache());
  }

  std::vector<Finding> diagnose(int index) override {
    const CubinCache cache(open_cache_folder());
    std::vector<Finding> findings = diagnose_libraries(cache);
    if (index < 0) return findings;
    require_device(index);
    for (Finding& finding : diagnose_device(index, device_state(index), cache))
      findings.push_back(std::move(finding));
    return findings;
  }

 private:
  // Opens the user's cache at the first call; prints a line if there is none.
  const CubinCache& cache() {
    if (!cache_) {
      cache_.emplace(open_cache_folder());
      const std::string& why_not = cache_->folder().why_not;
      if (!why_not.empty()) {
        std::cerr << log_line(one_line("compiled kernels are not kept: " + why_not)) + '\n';
      }
    }
    return *cache_;
  }

  void require_device(int index) const {
    if (index < device_count()) return;
    const std::string why = why_no_device();
    throw environment_error(
        format("there is no GPU {}{}", index, why.empty() ? "" : format(": {}", why)));
  }

  std::optional<CubinCache> cache_;
};

}  // namespace
}  // namespace tilewright

extern "C" __attribute__((visibility("default"))) tilewright::Backend* tilewright_open_backend(
    const std::atomic<bool>& interruption) {
  tilewright::poll_interruption_of(interruption);
  return new tilewright::CudaBackend;
}
