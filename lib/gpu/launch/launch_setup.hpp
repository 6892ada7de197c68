// The runtime's form of a launch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace tilewright {

/// A launch config with the attributes that it points to.
class LaunchSetup {
 public:
  /// `smem_bytes`: dynamic shared memory of a CTA.
  LaunchSetup(dim3 grid, dim3 block, size_t smem_bytes, cudaStream_t stream) {
    config_.gridDim = grid;
    config_.blockDim = block;
    config_.dynamicSmemBytes = smem_bytes;
    config_.stream = stream;
    config_.attrs = attributes_;
  }
  LaunchSetup(const LaunchSetup&) = delete;
  LaunchSetup& operator=(const LaunchSetup&) = delete;

  void set_cluster(dim3 cluster) {
    cudaLaunchAttribute& added = add(cudaLaunchAttributeClusterDimension);
    added.val.clusterDim.x = cluster.x;
    added.val.clusterDim.y = cluster.y;
    added.val.clusterDim.z = cluster.z;
  }
  /// The kernel may start before its predecessor in the stream ends.
  void set_programmatic() {
    add(cudaLaunchAttributeProgrammaticStreamSerialization)
        .val.programmaticStreamSerializationAllowed = 1;
  }
  /// All CTAs must be resident at once.
  void set_cooperative() { add(cudaLaunchAttributeCooperative).val.cooperative = 1; }

  const cudaLaunchConfig_t& config() const { return config_; }

 private:
  cudaLaunchAttribute& add(cudaLaunchAttributeID id) {
    cudaLaunchAttribute& added = attributes_[config_.numAttrs++];
    added.id = id;
    return added;
  }

  cudaLaunchAttribute attributes_[3] = {};
  cudaLaunchConfig_t config_{};
};

}  // namespace tilewright
