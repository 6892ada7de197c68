// The copies of one GPU's rows of A to the others, by copy engines.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "sm90/args.cuh"
#include "tile/plan/plan.hpp"
#include "tile/plan/sent_blocks.hpp"

namespace tilewright {

/// The rows that a GPU sends in an all-gather.
struct SentRows {
  tw::PeerBlocks division = {};
  int64_t block_rows = 0;
  int64_t row_bytes = 0;
  std::vector<tw::Span<int64_t>> parts = {};  // bytes of a row, by part of K
  std::vector<SentBlock> blocks;
};

/// `plan` is that of the GPU's rank. Empty for plans that gather nothing.
SentRows sent_rows(const Plan& plan);

/// What surrounds each launch of an all-gather on one GPU. Needs no order with the other GPUs'
/// streams: they raise and read flags, and receive into two halves of memory in turn.
///
///   stream   begin(): event | kernel | join(): wait for the copies
///   copies   wait for the event | block, flag | block, flag | ... | event
class PeerCopies {
 public:
  /// `memory` is the current device's own.
  explicit PeerCopies(const tw::PeerArgs& memory);
  PeerCopies(const PeerCopies&) = delete;
  PeerCopies& operator=(const PeerCopies&) = delete;
  /// Waits for the copies.
  ~PeerCopies();

  /// Enqueues the copies of this GPU's `rows` for the next launch in `stream`, the `launch`th of
  /// this memory. Throws a usage error where the stream is captured: a graph's copies would always
  /// go to the same half.
  void begin(const SentRows& sent, const void* rows, unsigned launch, cudaStream_t stream);
  /// What follows in the stream may change the rows.
  void join(cudaStream_t stream) const;

 private:
  tw::PeerArgs memory_;
  cudaStream_t copies_ = nullptr;
  cudaEvent_t ready_ = nullptr;
  cudaEvent_t done_ = nullptr;
};

}  // namespace tilewright
