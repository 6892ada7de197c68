#include "tile/plan/sent_blocks.hpp"

namespace tilewright {

std::vector<SentBlock> sent_blocks(const tw::PeerBlocks& blocks) {
  std::vector<SentBlock> sent;
  for (int visit = 0; visit < blocks.count(); ++visit) {
    for (int step = 1; step < blocks.gpus; ++step) {
      tw::PeerBlocks receiver = blocks;
      receiver.rank = (blocks.rank + step) % blocks.gpus;
      const int block = tw::visited_block(receiver, visit);
      if (tw::owner_of_block(blocks, block) == blocks.rank) sent.push_back({receiver.rank, block});
    }
  }
  return sent;
}

}  // namespace tilewright
