#include "gpu/launch/peer_copies.hpp"

#include "base/error.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/launch/device_guard.hpp"
#include "tile/plan/peer_store.hpp"

namespace tilewright {

SentRows sent_rows(const Plan& plan) {
  if (!gathers_rows(plan.workload.parallel)) return {};
  const tw::PeerBlocks& blocks = plan.problems.front().map.peers;
  SentRows sent{.division = blocks,
                .row_bytes = plan.product.shape.k * bytes_of(plan.workload.kind.dtype),
                .blocks = sent_blocks(blocks)};
  sent.block_rows = bytes_of_rows(plan) / sent.row_bytes / blocks.chunks;
  for (int part = 0; part < blocks.k_chunks; ++part) {
    sent.parts.push_back(bytes_of_row_part(plan, part));
  }
  return sent;
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
  const int64_t block_bytes = sent.block_rows * sent.row_bytes;
  const auto pitch = static_cast<size_t>(sent.row_bytes);
  for (const auto& [receiver, block, part] : sent.blocks) {
    const tw::Span<int64_t> columns = sent.parts[static_cast<size_t>(part)];
    const char* const from =
        static_cast<const char*>(rows) + block % sent.division.chunks * block_bytes + columns.begin;
    char* const to = memory_.data(receiver, launch) + block * block_bytes + columns.begin;
    TW_CHECK(cudaMemcpy2DAsync(to, pitch, from, pitch, static_cast<size_t>(columns.size()),
                               static_cast<size_t>(sent.block_rows), cudaMemcpyDefault, copies_));
    auto* const flags = reinterpret_cast<unsigned*>(memory_.half(receiver, launch));
    const int flag = tw::flag_of_rows(sent.division, block, part);
    TW_CHECK(cudaMemcpyAsync(flags + flag, &memory_.state->next, sizeof(unsigned),
                             cudaMemcpyDefault, copies_));
  }
  TW_CHECK(cudaEventRecord(done_, copies_));
}

void PeerCopies::join(cudaStream_t stream) const {
  TW_CHECK(cudaStreamWaitEvent(stream, done_));
}

}  // namespace tilewright
