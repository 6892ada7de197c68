#include "gpu/contenders/peer_buffers.hpp"

#include <cuda_runtime_api.h>

#include "base/math.hpp"
#include "base/text.hpp"
#include "gpu/contenders/memory.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/launch/device_guard.hpp"
#include "stats/product_check.hpp"

namespace tilewright {
namespace {

constexpr int64_t kHalfAlignment = 256;

}  // namespace

PeerBuffers::PeerBuffers(const PeerGroup& group, const PeerStore& store, uint64_t limit_ns)
    : used_bytes_(store.bytes()) {
  const PeerRoom room{.half_bytes = round_up(used_bytes_ + kRedZoneBytes, kHalfAlignment),
                      .data_at = store.data_at()};
  std::vector<PeerHandle> handles;
  for (int rank = 0; rank < group.size(); ++rank) {
    const DeviceGuard guard(group.device(rank));
    members_.push_back(std::make_unique<PeerMember>(rank, group.size(), room, limit_ns));
    handles.push_back(members_.back()->handle());
  }
  for (const std::unique_ptr<PeerMember>& member : members_) {
    const DeviceGuard guard(member->device());
    member->connect(handles);
    for (const unsigned turn : {0U, 1U}) {
      TW_CHECK(cudaMemset(member->args().half(member->rank(), turn) + used_bytes_, kRedZoneByte,
                          static_cast<size_t>(room.half_bytes - used_bytes_)));
    }
    TW_CHECK(cudaDeviceSynchronize());
  }
}

std::string PeerBuffers::find_stray_write() const {
  for (const std::unique_ptr<PeerMember>& member : members_) {
    const DeviceGuard guard(member->device());
    TW_CHECK(cudaDeviceSynchronize());
    for (const unsigned turn : {0U, 1U}) {
      std::vector<unsigned char> zone(kRedZoneBytes);
      copy_to_host(zone.data(), member->args().half(member->rank(), turn) + used_bytes_,
                   zone.size());
      if (const auto at = first_overwritten(zone)) {
        return format("it wrote a byte {} behind what GPU {} receives", *at, member->rank());
      }
    }
  }
  return "";
}

}  // namespace tilewright
