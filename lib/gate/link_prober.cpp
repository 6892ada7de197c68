#include "gate/link_prober.hpp"

#include <algorithm>

#include "map/peer_blocks.cuh"

namespace tilewright {

std::vector<int> linked_gpus(int first, int count,
                             const std::function<bool(int gpu, int peer)>& are_linked) {
  std::vector<int> gpus = {first};
  for (int gpu = 0; gpu < count && std::ssize(gpus) < tw::kMaxGpus; ++gpu) {
    if (gpu == first) continue;
    const bool fits =
        std::all_of(gpus.begin(), gpus.end(), [&](int other) { return are_linked(other, gpu); });
    if (fits) gpus.push_back(gpu);
  }
  return gpus;
}

}  // namespace tilewright
