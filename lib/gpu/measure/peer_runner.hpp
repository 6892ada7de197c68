// The Runner of products that GPUs of one host share, all in this process.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/compile/cubin_cache.hpp"
#include "search/runner.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// `devices` are the CUDA devices of the ranks, all like `spec`. A launch begins on all of them
/// together, and its time is that of the GPU that takes longest. Throws an environment error where
/// they do not reach each other.
std::unique_ptr<Runner> make_peer_runner(std::vector<int> devices, const DeviceSpec& spec,
                                         const CubinCache& cache, uint64_t seed);

}  // namespace tilewright
