#include "serve/communicator.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "gpu/launch/device_guard.hpp"

namespace tilewright {
namespace {

constexpr int64_t kAlignment = 256;
constexpr int64_t kFlagShare = 64;  // of a room, one part has the flags

int64_t flag_room(int64_t bytes) {
  return bytes / kFlagShare / kAlignment * kAlignment;
}

PeerRoom room_of(int64_t bytes) {
  const int64_t half = bytes / kAlignment * kAlignment;
  return {.half_bytes = half, .data_at = flag_room(half)};
}

bool holds(const PeerRoom& room, const PeerStore& store) {
  const int64_t flag_bytes = store.flags * int64_t{sizeof(unsigned)};
  return flag_bytes <= room.data_at && store.data_bytes <= room.half_bytes - room.data_at;
}

}  // namespace

int64_t room_bytes(const PeerStore& store) {
  constexpr int64_t kUnit = kAlignment * kFlagShare;
  const int64_t of_flags = kFlagShare * store.flags * int64_t{sizeof(unsigned)};
  const int64_t of_data = ceil_div(store.data_bytes * kFlagShare, kFlagShare - 1);
  return round_up(std::max(of_flags, of_data), kUnit);
}

Communicator::Communicator(int rank, int gpus, int64_t bytes, uint64_t limit_ms)
    : member_(rank, gpus, room_of(bytes), limit_ms * 1'000'000) {}

std::unique_ptr<Communicator> make_communicator(int rank, int gpus, uint64_t bytes,
                                                uint64_t limit_ms) {
  constexpr uint64_t kMaxBytes = uint64_t{1} << 40;
  constexpr uint64_t kMinuteMs = 60'000;
  constexpr uint64_t kMaxLimitMs = uint64_t{1} << 40;
  if (gpus < 2 || gpus > tw::kMaxGpus) {
    throw usage_error(format("gpus is {}, and 2 to {} share a product", gpus, tw::kMaxGpus));
  }
  if (rank < 0 || rank >= gpus) {
    throw usage_error(format("rank is {}, and ranks are 0 to {}", rank, gpus - 1));
  }
  if (bytes < kAlignment * kFlagShare || bytes > kMaxBytes) {
    throw usage_error(format("bytes is {}: ask the library for those of a call", bytes));
  }
  return std::make_unique<Communicator>(
      rank, gpus, static_cast<int64_t>(bytes),
      limit_ms == 0 ? kMinuteMs : std::min(limit_ms, kMaxLimitMs));
}

void Communicator::connect(std::span<const PeerHandle> handles) {
  const DeviceGuard guard(member_.device());
  member_.connect(handles);
  copies_.emplace(member_.args());
}

void Communicator::require_room(const PeerStore& store) const {
  if (holds(member_.room(), store)) return;
  throw usage_error(format("the communicator has {} bytes, and the call needs {}",
                           member_.room().half_bytes, room_bytes(store)));
}

void Communicator::launch(const ServedAnswer& answer, GemmLaunch launch) {
  const std::lock_guard<std::mutex> lock(launching_);
  if (!copies_) throw usage_error("comm: its ranks are not connected");
  if (current_device() != member_.device()) {
    throw usage_error(format("comm: it is of device {}, and the current device is {}",
                             member_.device(), current_device()));
  }
  require_room(answer.store);
  const bool sends_rows = !answer.sent.blocks.empty();
  const bool is_in_graph = is_captured(launch.stream);
  if (sends_rows && was_captured_) {
    throw usage_error("comm: an all-gather cannot follow a captured launch: use another one");
  }
  const unsigned next = launches_ + 1;
  if (sends_rows) copies_->begin(answer.sent, launch.operands.a, next, launch.stream);
  launch.peers = &member_.args();
  tilewright::launch(answer, launch);
  if (sends_rows) copies_->join(launch.stream);
  launches_ = next;
  was_captured_ = was_captured_ || is_in_graph;
}

}  // namespace tilewright
