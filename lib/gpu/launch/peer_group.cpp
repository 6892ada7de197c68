#include "gpu/launch/peer_group.hpp"

#include <cuda_runtime_api.h>

#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/launch/device_guard.hpp"

namespace tilewright {

void map_memory(int of, int on) {
  int can = 0;
  TW_CHECK(cudaDeviceCanAccessPeer(&can, on, of));
  if (can == 0) {
    throw environment_error(
        format("cuda:{} does not reach the memory of cuda:{}: products across GPUs need NVLink or "
               "peer access over PCIe",
               on, of));
  }
  const DeviceGuard guard(on);
  const cudaError_t enabled = cudaDeviceEnablePeerAccess(of, 0);
  if (enabled == cudaErrorPeerAccessAlreadyEnabled) {
    clear_launch_error();
  } else {
    TW_CHECK(enabled);
  }
}

PeerGroup::PeerGroup(std::vector<int> devices) : devices_(std::move(devices)) {
  for (const int of : devices_) {
    for (const int on : devices_) {
      if (of != on) map_memory(of, on);
    }
  }
}

}  // namespace tilewright
