// The blocks of A that each GPU of an all-gather sends to the others.
#pragma once

#include <vector>

#include "map/peer_blocks.cuh"

namespace tilewright {

struct SentBlock {
  int receiver = 0;
  int block = 0;  // among those of all GPUs
  int part = 0;   // of K
  bool operator==(const SentBlock&) const = default;
};

/// What GPU `blocks.rank` sends, in order: first what its receiver visits first, the parts of a
/// block along K, and to the next GPU first where several visit a block at the same time.
std::vector<SentBlock> sent_blocks(const tw::PeerBlocks& blocks);

}  // namespace tilewright
