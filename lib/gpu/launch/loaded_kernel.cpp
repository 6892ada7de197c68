#include "gpu/launch/loaded_kernel.hpp"

#include "base/error.hpp"
#include "gpu/launch/check.hpp"

namespace tilewright {
namespace {

// A launch config with the attributes that it points to.
struct LaunchSetup {
  LaunchSetup(const LaunchShape& shape, bool as_cluster, cudaStream_t stream) {
    config.gridDim = dim3(static_cast<unsigned>(shape.ctas));
    config.blockDim = dim3(static_cast<unsigned>(shape.threads));
    config.dynamicSmemBytes = static_cast<size_t>(shape.smem_bytes);
    config.stream = stream;
    config.attrs = attributes;
    if (as_cluster) {
      cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
      cluster.id = cudaLaunchAttributeClusterDimension;
      cluster.val.clusterDim.x = static_cast<unsigned>(shape.cluster_size);
      cluster.val.clusterDim.y = 1;
      cluster.val.clusterDim.z = 1;
    }
    if (shape.programmatic) {
      cudaLaunchAttribute& programmatic = attributes[config.numAttrs++];
      programmatic.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      programmatic.val.programmaticStreamSerializationAllowed = 1;
    }
    if (shape.cooperative) {
      cudaLaunchAttribute& cooperative = attributes[config.numAttrs++];
      cooperative.id = cudaLaunchAttributeCooperative;
      cooperative.val.cooperative = 1;
    }
  }
  LaunchSetup(const LaunchSetup&) = delete;
  LaunchSetup& operator=(const LaunchSetup&) = delete;

  cudaLaunchAttribute attributes[3] = {};
  cudaLaunchConfig_t config{};
};

}  // namespace

LoadedKernel::LoadedKernel(const std::string& cubin, const char* name) {
  TW_CHECK(cudaLibraryLoadData(&library_, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  TW_CHECK(cudaLibraryGetKernel(&kernel_, library_, name));
}

LoadedKernel::~LoadedKernel() {
  if (library_ != nullptr) cudaLibraryUnload(library_);
}

void LoadedKernel::allow_smem(int bytes) const {
  TW_CHECK(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

int LoadedKernel::resident_clusters(const LaunchShape& shape) const {
  const LaunchSetup setup(shape, true, nullptr);  // clusters of one CTA need the attribute, too
  int count = 0;
  const cudaError_t status = cudaOccupancyMaxActiveClusters(&count, kernel_, &setup.config);
  if (status == cudaErrorInvalidClusterSize) {
    cudaGetLastError();  // clears the error
    return 0;
  }
  TW_CHECK(status);
  return count;
}

void LoadedKernel::launch(const LaunchShape& shape, void** arguments, cudaStream_t stream) const {
  const LaunchSetup setup(shape, shape.cluster_size > 1, stream);
  launch(setup.config, arguments);
}

void LoadedKernel::launch(const cudaLaunchConfig_t& config, void** arguments) const {
  TW_CHECK(cudaLaunchKernelExC(&config, kernel_, arguments));
}

}  // namespace tilewright
