#include "gpu/launch/peer_copies.hpp"

#include "base/error.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/launch/device_guard.hpp"
#include "tile/plan/peer_store.hpp"

namespace tilewright {

PeerCopies::PeerCopies(const Plan& plan, const tw::PeerArgs& memory)
    : memory_(memory),
      chunks_(plan.config.peers.chunks),
      block_bytes_(bytes_of_rows(plan) / chunks_),
      sent_(sent_blocks(plan.problems.front().map.peers)) {
  TW_CHECK(cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking));
  TW_CHECK(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming));
  TW_CHECK(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming));
}

PeerCopies::~PeerCopies() {
  cudaStreamSynchronize(copies_);
  cudaStreamDestroy(copies_);
  cudaEventDestroy(ready_);
  cudaEventDestroy(done_);
}

void PeerCopies::begin(const void* rows, cudaStream_t stream) {
  if (is_captured(stream)) {
    throw usage_error("an all-gather across GPUs cannot be captured: launch it in a stream");
  }
  TW_CHECK(cudaEventRecord(ready_, stream));
  TW_CHECK(cudaStreamWaitEvent(copies_, ready_));
  ++launches_;
  for (const auto& [receiver, block] : sent_) {
    const char* const from = static_cast<const char*>(rows) + block % chunks_ * block_bytes_;
    TW_CHECK(cudaMemcpyAsync(memory_.data(receiver, launches_) + block * block_bytes_, from,
                             static_cast<size_t>(block_bytes_), cudaMemcpyDefault, copies_));
    auto* const flags = reinterpret_cast<unsigned*>(memory_.half(receiver, launches_));
    TW_CHECK(cudaMemcpyAsync(flags + block, &memory_.state->next, sizeof(unsigned),
                             cudaMemcpyDefault, copies_));
  }
  TW_CHECK(cudaEventRecord(done_, copies_));
}

void PeerCopies::join(cudaStream_t stream) const {
  TW_CHECK(cudaStreamWaitEvent(stream, done_));
}

}  // namespace tilewright
