#include "gpu/contenders/peer_buffers.hpp"

#include <cuda_runtime_api.h>

#include <utility>

#include "base/text.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/launch/device_guard.hpp"
#include "stats/product_check.hpp"

namespace tilewright {
namespace {

// Zeros, and a red zone behind them.
DeviceBuffer guarded(int64_t bytes) {
  DeviceBuffer buffer(static_cast<size_t>(bytes + kRedZoneBytes));
  TW_CHECK(cudaMemset(buffer.get(), 0, static_cast<size_t>(bytes)));
  TW_CHECK(cudaMemset(buffer.as<char>() + bytes, kRedZoneByte, kRedZoneBytes));
  return buffer;
}

}  // namespace

PeerBuffers::PeerBuffers(const PeerGroup& group, const PeerStore& store, uint64_t limit_ns)
    : group_(group) {
  for (int rank = 0; rank < group.size(); ++rank) {
    const DeviceGuard guard(group.device(rank));
    own_.push_back({.parts = guarded(store.part_bytes),
                    .flags = guarded(store.flags * int64_t{sizeof(unsigned)}),
                    .state = DeviceBuffer(sizeof(tw::PeerState)),
                    .gathered = guarded(store.gathered_bytes)});
    constexpr tw::PeerState kFirst;
    copy_to_device(own_.back().state.get(), &kFirst, sizeof(kFirst));
    TW_CHECK(cudaDeviceSynchronize());
  }
  for (const Own& own : own_) {
    PeerMemory memory{.state = own.state.as<tw::PeerState>(),
                      .gathered = own.gathered.get(),
                      .limit_ns = limit_ns};
    for (size_t owner = 0; owner < own_.size(); ++owner) {
      memory.parts[owner] = own_[owner].parts.get();
      memory.flags[owner] = own_[owner].flags.as<unsigned>();
    }
    memory_.push_back(memory);
  }
}

std::string PeerBuffers::find_stray_write() const {
  for (int rank = 0; rank < group_.size(); ++rank) {
    const DeviceGuard guard(group_.device(rank));
    TW_CHECK(cudaDeviceSynchronize());
    const Own& own = own_[static_cast<size_t>(rank)];
    for (const auto& [name, buffer] :
         {std::pair("parts", &own.parts), std::pair("flags", &own.flags),
          std::pair("gathered rows", &own.gathered)}) {
      std::vector<unsigned char> zone(kRedZoneBytes);
      copy_to_host(zone.data(), buffer->as<char>() + buffer->bytes() - kRedZoneBytes, zone.size());
      if (const auto at = first_overwritten(zone)) {
        return format("it wrote a byte {} behind the {} of GPU {}", *at, name, rank);
      }
    }
  }
  return "";
}

int PeerBuffers::lost_by(int rank) const {
  const DeviceGuard guard(group_.device(rank));
  tw::PeerState state;
  TW_CHECK(cudaDeviceSynchronize());
  copy_to_host(&state, of(rank).state, sizeof(state));
  return static_cast<int>(state.lost) - 1;
}

}  // namespace tilewright
