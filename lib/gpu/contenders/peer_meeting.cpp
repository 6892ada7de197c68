#include "gpu/contenders/peer_meeting.hpp"

#include "gpu/launch/check.hpp"
#include "gpu/launch/device_guard.hpp"
#include "tools/meet_args.cuh"

namespace tilewright {

PeerMeeting::PeerMeeting(const PeerGroup& group, const std::string& cubin) : group_(group) {
  TW_CHECK(cudaHostAlloc(reinterpret_cast<void**>(&released_), sizeof(*released_),
                         cudaHostAllocPortable | cudaHostAllocMapped));
  *released_ = 0;
  for (int rank = 0; rank < group.size(); ++rank) {
    const DeviceGuard guard(group.device(rank));
    kernels_.emplace_back(cubin, kMeet);
    arrivals_.emplace_back(sizeof(unsigned) * tw::kMaxGpus);
    TW_CHECK(cudaMemset(arrivals_.back().get(), 0, arrivals_.back().bytes()));
    TW_CHECK(cudaDeviceSynchronize());
  }
}

PeerMeeting::~PeerMeeting() {
  release();
  for (int rank = 0; rank < group_.size(); ++rank) {
    const DeviceGuard guard(group_.device(rank));
    cudaDeviceSynchronize();  // a meeting may still wait for the word
  }
  cudaFreeHost(released_);
}

void PeerMeeting::enqueue(const std::vector<cudaStream_t>& streams) {
  constexpr unsigned long long kMaxNs = 1'000'000'000;
  ++turn_;
  for (int rank = 0; rank < group_.size(); ++rank) {
    const DeviceGuard guard(group_.device(rank));
    tw::MeetArgs args{.rank = rank,
                      .gpus = group_.size(),
                      .turn = turn_,
                      .released = released_,
                      .most_ns = kMaxNs};
    for (size_t i = 0; i < arrivals_.size(); ++i) args.arrivals[i] = arrivals_[i].as<unsigned>();
    void* arguments[] = {&args};
    kernels_[static_cast<size_t>(rank)].launch({}, arguments, streams[static_cast<size_t>(rank)]);
  }
}

void PeerMeeting::release() {
  *static_cast<volatile unsigned*>(released_) = turn_;
}

}  // namespace tilewright
