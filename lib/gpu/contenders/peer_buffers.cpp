#include "gpu/contenders/peer_buffers.hpp"

#include <cuda_runtime_api.h>

#include "base/math.hpp"
#include "base/text.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/launch/device_guard.hpp"
#include "stats/product_check.hpp"

namespace tilewright {
namespace {

constexpr int kHalves = 2;
constexpr int64_t kHalfAlignment = 256;

}  // namespace

PeerBuffers::PeerBuffers(const PeerGroup& group, const PeerStore& store, uint64_t limit_ns)
    : group_(group), half_bytes_(store.bytes()) {
  const int64_t pitch = round_up(half_bytes_ + kRedZoneBytes, kHalfAlignment);
  for (int rank = 0; rank < group.size(); ++rank) {
    const DeviceGuard guard(group.device(rank));
    own_.push_back({.halves = DeviceBuffer(static_cast<size_t>(kHalves * pitch)),
                    .state = DeviceBuffer(sizeof(tw::PeerState))});
    char* const halves = own_.back().halves.as<char>();
    TW_CHECK(cudaMemset(halves, kRedZoneByte, static_cast<size_t>(kHalves * pitch)));
    TW_CHECK(cudaMemset2D(halves, static_cast<size_t>(pitch), 0, static_cast<size_t>(half_bytes_),
                          kHalves));
    constexpr tw::PeerState kFirst;
    copy_to_device(own_.back().state.get(), &kFirst, sizeof(kFirst));
    TW_CHECK(cudaDeviceSynchronize());
  }
  for (const Own& own : own_) {
    tw::PeerArgs memory{.half_bytes = pitch,
                        .data_at = store.data_at(),
                        .state = own.state.as<tw::PeerState>(),
                        .limit_ns = limit_ns};
    for (size_t owner = 0; owner < own_.size(); ++owner) {
      memory.memory[owner] = own_[owner].halves.as<char>();
    }
    memory_.push_back(memory);
  }
}

std::string PeerBuffers::find_stray_write() const {
  for (int rank = 0; rank < group_.size(); ++rank) {
    const DeviceGuard guard(group_.device(rank));
    TW_CHECK(cudaDeviceSynchronize());
    for (const unsigned turn : {0U, 1U}) {
      std::vector<unsigned char> zone(kRedZoneBytes);
      copy_to_host(zone.data(), of(rank).half(rank, turn) + half_bytes_, zone.size());
      if (const auto at = first_overwritten(zone)) {
        return format("it wrote a byte {} behind what GPU {} receives", *at, rank);
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
