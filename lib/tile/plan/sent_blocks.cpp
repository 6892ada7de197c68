#include "tile/plan/sent_blocks.hpp"

namespace tilewright {

std::vector<SentBlock> sent_blocks(const tw::PeerBlocks& blocks) {
  std::vector<SentBlock> sent;
  for (int i = 0; i < blocks.count() * blocks.k_chunks; ++i) {
    const int visit = i / blocks.k_chunks;
    for (int step = 1; step < blocks.gpus; ++step) {
      tw::PeerBlocks receiver = blocks;
      receiver.rank = (blocks.rank + step) % blocks.gpus;
      const int block = tw::visited_block(receiver, visit);
      if (tw::owner_of_block(blocks, block) != blocks.rank) continue;
      sent.push_back({receiver.rank, block, i % blocks.k_chunks});
    }
  }
  return sent;
}

}  // namespace tilewright
