#include "gpu/loaded_kernel.hpp"

#include "base/error.hpp"
#include "gpu/check.hpp"

namespace tilewright {
namespace {

cudaLaunchConfig_t launch_config(const LaunchShape& shape, cudaLaunchAttribute& cluster,
                                 cudaStream_t stream) {
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = static_cast<unsigned>(shape.cluster_size);
  cluster.val.clusterDim.y = 1;
  cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(shape.ctas));
  config.blockDim = dim3(static_cast<unsigned>(shape.threads));
  config.dynamicSmemBytes = static_cast<size_t>(shape.smem_bytes);
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = shape.cluster_size > 1 ? 1 : 0;
  return config;
}

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
  cudaLaunchAttribute cluster{};
  cudaLaunchConfig_t config = launch_config(shape, cluster, nullptr);
  config.numAttrs = 1;  // clusters of one count too
  int count = 0;
  TW_CHECK(cudaOccupancyMaxActiveClusters(&count, kernel_, &config));
  if (count == 0) throw environment_error("the device holds no CTA of this kernel");
  return count;
}

void LoadedKernel::launch(const LaunchShape& shape, void** arguments, cudaStream_t stream) const {
  cudaLaunchAttribute cluster{};
  const cudaLaunchConfig_t config = launch_config(shape, cluster, stream);
  TW_CHECK(cudaLaunchKernelExC(&config, kernel_, arguments));
}

}  // namespace tilewright
