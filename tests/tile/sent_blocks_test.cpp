// What the GPUs of an all-gather send: every block to every other GPU once, in the order in which
// that GPU visits it.
#include "tile/plan/sent_blocks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace tilewright {
namespace {

// Brute force over all GPUs: `received[flag]` counts what arrives at a GPU, and blocks of one
// sender arrive in the receiver's order, each from K's begin to its end.
void check_received(const tw::PeerBlocks& receiver) {
  const int parts = receiver.k_chunks;
  std::vector<int> received(static_cast<size_t>(receiver.count() * parts));
  for (int sender = 0; sender < receiver.gpus; ++sender) {
    tw::PeerBlocks of_sender = receiver;
    of_sender.rank = sender;
    int last = -1;
    for (const SentBlock& sent : sent_blocks(of_sender)) {
      if (sent.receiver != receiver.rank) continue;
      CHECK(sent.block / receiver.chunks == sender);
      const int turn = tw::visit_of(receiver, sent.block) * parts + sent.part;
      CHECK(turn > last);
      last = turn;
      REQUIRE(sent.part < parts);
      ++received[static_cast<size_t>(tw::flag_of_rows(receiver, sent.block, sent.part))];
    }
  }
  for (int flag = 0; flag < receiver.count() * parts; ++flag) {
    const bool is_own = flag / parts / receiver.chunks == receiver.rank;
    CHECK(received[static_cast<size_t>(flag)] == (is_own ? 0 : 1));
  }
}

TEST_CASE("each GPU receives each block of the others once, in the order of its visits") {
  for (const tw::RankOrder order :
       {tw::RankOrder::Given, tw::RankOrder::Ring, tw::RankOrder::Chunks}) {
    for (int gpus = 2; gpus <= tw::kMaxGpus; ++gpus) {
      for (const int chunks : {1, 2, 5}) {
        for (int rank = 0; rank < gpus; ++rank) {
          for (const int k_chunks : {1, 3}) {
            check_received({.gpus = gpus,
                            .rank = rank,
                            .chunks = chunks,
                            .order = order,
                            .own_last = false,
                            .k_chunks = k_chunks});
          }
        }
      }
    }
  }
}

TEST_CASE("at every step each GPU sends to another one, so that no link carries two blocks") {
  for (const int gpus : {2, 4, 8, 16}) {
    const auto sent = [gpus](int rank) {
      return sent_blocks({.gpus = gpus, .rank = rank, .chunks = 3, .own_last = false});
    };
    for (size_t step = 0; step < sent(0).size(); ++step) {
      std::vector<int> receivers;
      for (int rank = 0; rank < gpus; ++rank) receivers.push_back(sent(rank)[step].receiver);
      std::sort(receivers.begin(), receivers.end());
      CHECK(std::unique(receivers.begin(), receivers.end()) == receivers.end());
    }
  }
}

}  // namespace
}  // namespace tilewright
