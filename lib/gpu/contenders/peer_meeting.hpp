// Starts the streams of a group's GPUs together, once the host has enqueued what follows.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "gpu/contenders/memory.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "gpu/launch/peer_group.hpp"

namespace tilewright {

/// The name of the kernel that ends when all GPUs have met.
inline constexpr const char* kMeet = "meet";

class PeerMeeting {
 public:
  /// `cubin` is the machine code of tools/meet.cu.
  PeerMeeting(const PeerGroup& group, const std::string& cubin);
  PeerMeeting(const PeerMeeting&) = delete;
  PeerMeeting& operator=(const PeerMeeting&) = delete;
  ~PeerMeeting();

  /// Enqueues the next meeting on every GPU's stream, in order of rank.
  void enqueue(const std::vector<cudaStream_t>& streams);
  /// Lets the meetings that are enqueued take place.
  void release();

 private:
  const PeerGroup& group_;
  std::vector<LoadedKernel> kernels_;   // by rank
  std::vector<DeviceBuffer> arrivals_;  // by rank
  unsigned* released_ = nullptr;        // pinned
  unsigned turn_ = 0;
};

}  // namespace tilewright
