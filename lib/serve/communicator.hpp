// A communicator of the C interface: a rank's memory among the GPUs that share products.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "gpu/launch/peer_copies.hpp"
#include "gpu/launch/peer_member.hpp"
#include "serve/request.hpp"
#include "serve/served_device.hpp"
#include "serve/shipped_names.hpp"

namespace tilewright {

/// Bytes of a communicator in which a launch with this store finds room: flags have a share of
/// every communicator's memory, apart from all data, since an old datum must not look like a flag.
int64_t room_bytes(const PeerStore& store);

/// Safe to use from several threads, which launch in the same order as those of the other ranks.
class Communicator {
 public:
  /// On the current device. `bytes` as room_bytes() returns them; a wait ends after `limit_ms`.
  Communicator(int rank, int gpus, int64_t bytes, uint64_t limit_ms);

  PeerPlace place() const { return {member_.rank(), member_.gpus()}; }
  PeerHandle handle() const { return member_.handle(); }
  void connect(std::span<const PeerHandle> handles);
  int lost() const { return member_.lost(); }

  /// Launches on the communicator's device, which is current. Throws a usage error where the ranks
  /// are not connected, the room is too small, or an all-gather meets a capture.
  void launch(const ServedAnswer& answer, GemmLaunch launch);

 private:
  void require_room(const PeerStore& store) const;

  PeerMember member_;
  std::mutex launching_;
  std::optional<PeerCopies> copies_;  // once connected
  unsigned launches_ = 0;             // of streams that no capture has
  bool was_captured_ = false;         // its replays are not counted here
};

/// Throws a usage error for a rank, number of GPUs or size that none can have. `limit_ms` 0: a
/// minute.
std::unique_ptr<Communicator> make_communicator(int rank, int gpus, uint64_t bytes,
                                                uint64_t limit_ms);

}  // namespace tilewright
