// One GPU's memory in a group of GPUs, and its way to the others': of this process or of others.
//
//   make: allocates | handle() of every rank --caller exchanges them--> connect() | args()
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sm90/args.cuh"

namespace tilewright {

/// What each GPU of a group receives in, the same on all.
struct PeerRoom {
  int64_t half_bytes = 0;  // flags and data of a launch; two of these
  int64_t data_at = 0;     // in a half
  bool operator==(const PeerRoom&) const = default;
};

/// What the other ranks need to reach a rank's memory, plain bytes.
struct PeerHandle {
  uint64_t version = 0;  // of this layout
  std::array<uint64_t, 2> process = {};
  char* address = nullptr;  // in that process
  PeerRoom room = {};
  int32_t rank = 0;
  int32_t gpus = 0;
  int64_t device = 0;  // by that process's numbers
  cudaIpcMemHandle_t memory = {};
};

class PeerMember {
 public:
  /// Allocates on the current device, with zeros for the first launch. A wait of a launch for
  /// another rank ends after `limit_ns`. Throws an environment error when there is no room.
  PeerMember(int rank, int gpus, const PeerRoom& room, uint64_t limit_ns);
  PeerMember(const PeerMember&) = delete;
  PeerMember& operator=(const PeerMember&) = delete;
  /// No launch of any rank may use the memory any more.
  ~PeerMember();

  int device() const { return device_; }
  int rank() const { return rank_; }
  int gpus() const { return gpus_; }
  const PeerRoom& room() const { return room_; }

  PeerHandle handle() const;
  /// Maps the memory of all ranks by their handles, in their order. Throws a usage error for
  /// handles of another group, an environment error where this GPU does not reach another one.
  void connect(std::span<const PeerHandle> handles);
  /// The memory of all ranks as this GPU reaches it. Connected members only.
  const tw::PeerArgs& args() const { return args_; }

  /// The rank for which a launch waited longer than the limit; -1: none. Waits for the device.
  int lost() const;

 private:
  char* reach(const PeerHandle& other);

  int rank_;
  int gpus_;
  PeerRoom room_;
  int device_ = 0;
  bool is_connected_ = false;
  tw::PeerArgs args_;
  std::vector<void*> opened_;  // memory of other processes
};

}  // namespace tilewright
