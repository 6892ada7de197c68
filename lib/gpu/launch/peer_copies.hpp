// The copies of one GPU's rows of A to the others, by copy engines.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "gpu/launch/gemm_kernel.hpp"
#include "tile/plan/plan.hpp"
#include "tile/plan/sent_blocks.hpp"

namespace tilewright {

/// What surrounds each launch of an all-gather on one GPU. Needs no order with the other GPUs'
/// streams: they raise and read flags, and receive into two halves of memory in turn.
///
///   stream   begin(): event | kernel | join(): wait for the copies
///   copies   wait for the event | block, flag | block, flag | ... | event
class PeerCopies {
 public:
  /// On the current device. `plan` is that of its rank.
  PeerCopies(const Plan& plan, const tw::PeerArgs& memory);
  PeerCopies(const PeerCopies&) = delete;
  PeerCopies& operator=(const PeerCopies&) = delete;
  /// Waits for the copies.
  ~PeerCopies();

  /// Enqueues the copies of this GPU's rows for the next launch in `stream`. Throws a usage error
  /// where the stream is captured: a graph's copies would always go to the same half.
  void begin(const void* rows, cudaStream_t stream);
  /// What follows in the stream may change the rows.
  void join(cudaStream_t stream) const;

 private:
  tw::PeerArgs memory_;
  int chunks_;  // blocks of this GPU
  int64_t block_bytes_;
  std::vector<SentBlock> sent_;
  unsigned launches_ = 0;  // that have begun
  cudaStream_t copies_ = nullptr;
  cudaEvent_t ready_ = nullptr;
  cudaEvent_t done_ = nullptr;
};

}  // namespace tilewright
