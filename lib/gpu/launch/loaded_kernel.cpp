#include "gpu/launch/loaded_kernel.hpp"

#include "base/error.hpp"
#include "gpu/launch/check.hpp"

namespace tilewright {
namespace {

void set_attributes(const LaunchShape& shape, bool as_cluster, LaunchSetup& setup) {
  if (as_cluster) setup.set_cluster(dim3(static_cast<unsigned>(shape.cluster_size)));
  if (shape.programmatic) setup.set_programmatic();
  if (shape.cooperative) setup.set_cooperative();
}

LaunchSetup plain_setup(const LaunchShape& shape, cudaStream_t stream) {
  return {dim3(static_cast<unsigned>(shape.ctas)), dim3(static_cast<unsigned>(shape.threads)),
          static_cast<size_t>(shape.smem_bytes), stream};
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
  LaunchSetup setup = plain_setup(shape, nullptr);
  set_attributes(shape, true, setup);  // clusters of one CTA need the attribute, too
  int count = 0;
  const cudaError_t status = cudaOccupancyMaxActiveClusters(&count, kernel_, &setup.config());
  if (status == cudaErrorInvalidClusterSize) {
    cudaGetLastError();  // clears the error
    return 0;
  }
  TW_CHECK(status);
  return count;
}

void LoadedKernel::launch(const LaunchShape& shape, void** arguments, cudaStream_t stream) const {
  LaunchSetup setup = plain_setup(shape, stream);
  set_attributes(shape, shape.cluster_size > 1, setup);
  launch(setup, arguments);
}

void LoadedKernel::launch(const LaunchSetup& setup, void** arguments) const {
  TW_CHECK(cudaLaunchKernelExC(&setup.config(), kernel_, arguments));
}

}  // namespace tilewright
