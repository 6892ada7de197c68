#include "gpu/launch/peer_copies.hpp"

#include "base/error.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/launch/device_guard.hpp"
#include "tile/plan/peer_store.hpp"

namespace tilewright {

SentRows sent_rows(const Plan& plan) {
  if (plan.workload.parallel.collective != Collective::AllGather) return {};
  const int chunks = plan.config.peers.chunks;
  return {.chunks = chunks,
          .block_bytes = bytes_of_rows(plan) / chunks,
          .blocks = sent_blocks(plan.problems.front().map.peers)};
}

PeerCopies::PeerCopies(const tw::PeerArgs& memory) : memory_(memory) {
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

void PeerCopies::begin(const SentRows& sent, const void* rows, unsigned launch,
                       cudaStream_t stream) {
  if (is_captured(stream)) {
    throw usage_error("an all-gather across GPUs cannot be captured: launch it in a stream");
  }
  TW_CHECK(cudaEventRecord(ready_, stream));
  TW_CHECK(cudaStreamWaitEvent(copies_, ready_));
  for (const auto& [receiver, block] : sent.blocks) {
    const char* const from =
        static_cast<const char*>(rows) + block % sent.chunks * sent.block_bytes;
    TW_CHECK(cudaMemcpyAsync(memory_.data(receiver, launch) + block * sent.block_bytes, from,
                             static_cast<size_t>(sent.block_bytes), cudaMemcpyDefault, copies_));
    auto* const flags = reinterpret_cast<unsigned*>(memory_.half(receiver, launch));
    TW_CHECK(cudaMemcpyAsync(flags + block, &memory_.state->next, sizeof(unsigned),
                             cudaMemcpyDefault, copies_));
  }
  TW_CHECK(cudaEventRecord(done_, copies_));
}

void PeerCopies::join(cudaStream_t stream) const {
  TW_CHECK(cudaStreamWaitEvent(stream, done_));
}

}  // namespace tilewright
