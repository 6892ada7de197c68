#include "gpu/launch/peer_member.hpp"

#include <cstring>
#include <memory>
#include <random>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/launch/device_guard.hpp"
#include "gpu/launch/peer_group.hpp"

namespace tilewright {
namespace {

constexpr uint64_t kHandleVersion = 0x7477'7065'6572'0001;  // "twpeer", 1
constexpr int kHalves = 2;
// An allocation below this shares its pages, and another process would map its neighbours with it.
constexpr int64_t kPages = int64_t{2} << 20;

// Distinguishes processes, also those of other containers with the same identifiers.
const std::array<uint64_t, 2>& this_process() {
  static const std::array<uint64_t, 2> id = [] {
    std::random_device random;
    const auto word = [&random] { return uint64_t{random()} << 32 | random(); };
    return std::array<uint64_t, 2>{word(), word()};
  }();
  return id;
}

}  // namespace

PeerMember::PeerMember(int rank, int gpus, const PeerRoom& room, uint64_t limit_ns)
    : rank_(rank), gpus_(gpus), room_(room) {
  TW_CHECK(cudaGetDevice(&device_));
  args_.half_bytes = room.half_bytes;
  args_.data_at = room.data_at;
  args_.limit_ns = limit_ns;
  const int64_t halves = round_up(kHalves * room.half_bytes, int64_t{alignof(tw::PeerState)});
  const auto bytes = static_cast<size_t>(round_up(halves + int64_t{sizeof(tw::PeerState)}, kPages));
  void* memory = nullptr;
  TW_CHECK(cudaMalloc(&memory, bytes));
  // No destructor runs where a constructor throws.
  std::unique_ptr<void, decltype(&cudaFree)> guard(memory, &cudaFree);
  char* const own = static_cast<char*>(memory);
  args_.memory[rank] = own;
  args_.state = reinterpret_cast<tw::PeerState*>(own + halves);
  constexpr tw::PeerState kFirst;
  TW_CHECK(cudaMemset(memory, 0, bytes));
  TW_CHECK(cudaMemcpy(args_.state, &kFirst, sizeof(kFirst), cudaMemcpyHostToDevice));
  TW_CHECK(cudaDeviceSynchronize());
  static_cast<void>(guard.release());
}

// After a fault of a kernel CUDA refuses every call: then the memory is gone anyway.
PeerMember::~PeerMember() {
  int before = 0;
  cudaGetDevice(&before);
  cudaSetDevice(device_);
  cudaDeviceSynchronize();
  for (void* const memory : opened_) cudaIpcCloseMemHandle(memory);
  cudaFree(args_.memory[rank_]);
  cudaSetDevice(before);
}

PeerHandle PeerMember::handle() const {
  PeerHandle handle{.version = kHandleVersion,
                    .process = this_process(),
                    .address = args_.memory[rank_],
                    .room = room_,
                    .rank = rank_,
                    .gpus = gpus_,
                    .device = device_};
  const DeviceGuard guard(device_);
  // Without it the ranks of this process still reach the memory.
  if (cudaIpcGetMemHandle(&handle.memory, args_.memory[rank_]) != cudaSuccess) clear_launch_error();
  return handle;
}

char* PeerMember::reach(const PeerHandle& other) {
  if (other.process == this_process()) {
    const auto device = static_cast<int>(other.device);
    if (device != device_) map_memory(device, device_);
    return other.address;
  }
  void* memory = nullptr;
  const DeviceGuard guard(device_);
  const cudaError_t opened =
      cudaIpcOpenMemHandle(&memory, other.memory, cudaIpcMemLazyEnablePeerAccess);
  if (opened != cudaSuccess) {
    clear_launch_error();
    throw environment_error(
        format("rank {} does not reach the memory of rank {}: {}; its GPU must be visible to this "
               "process, with peer access",
               rank_, other.rank, cudaGetErrorString(opened)));
  }
  opened_.push_back(memory);
  return static_cast<char*>(memory);
}

void PeerMember::connect(std::span<const PeerHandle> handles) {
  if (is_connected_) throw usage_error("the ranks are connected already");
  if (std::ssize(handles) != gpus_) {
    throw usage_error(format("{} handles for {} ranks", handles.size(), gpus_));
  }
  for (int rank = 0; rank < gpus_; ++rank) {
    const PeerHandle& handle = handles[static_cast<size_t>(rank)];
    if (handle.version != kHandleVersion || handle.rank != rank || handle.gpus != gpus_) {
      throw usage_error(format("handle {} is not that of rank {} of {}", rank, rank, gpus_));
    }
    if (handle.room != room_) {
      throw usage_error(
          format("rank {} has halves of {} bytes, and rank {} of {}: all ranks need "
                 "the same",
                 rank, handle.room.half_bytes, rank_, room_.half_bytes));
    }
  }
  for (const PeerHandle& handle : handles) {
    if (handle.rank != rank_) args_.memory[handle.rank] = reach(handle);
  }
  is_connected_ = true;
}

int PeerMember::lost() const {
  const DeviceGuard guard(device_);
  tw::PeerState state;
  TW_CHECK(cudaDeviceSynchronize());
  TW_CHECK(cudaMemcpy(&state, args_.state, sizeof(state), cudaMemcpyDeviceToHost));
  return static_cast<int>(state.lost) - 1;
}

}  // namespace tilewright
