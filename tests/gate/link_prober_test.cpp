#include "gate/link_prober.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <vector>

#include "map/peer_blocks.cuh"

namespace tilewright {
namespace {

TEST_CASE("GPUs are linked with the first one and with each other, in order") {
  const auto all = [](int, int) { return true; };
  CHECK(linked_gpus(2, 4, all) == std::vector<int>{2, 0, 1, 3});
  CHECK(linked_gpus(0, 1, all) == std::vector<int>{0});
  CHECK(linked_gpus(0, 40, all).size() == tw::kMaxGpus);
  // Pairs of neighbours: 2 reaches 1 and 3, which do not reach each other.
  const auto neighbours = [](int gpu, int peer) { return std::abs(gpu - peer) == 1; };
  CHECK(linked_gpus(2, 4, neighbours) == std::vector<int>{2, 1});
  CHECK(linked_gpus(0, 4, [](int, int) { return false; }) == std::vector<int>{0});
}

}  // namespace
}  // namespace tilewright
