// Arguments of the kernel that starts the streams of several GPUs together.
#pragma once

#include "map/peer_blocks.cuh"

namespace tw {

struct MeetArgs {
  int rank = 0;
  int gpus = 1;
  unsigned turn = 0;
  const volatile unsigned* released = nullptr;  // host memory: the last turn that may begin
  unsigned* arrivals[kMaxGpus] = {};            // of each GPU: a word for every GPU
  unsigned long long most_ns = 0;
};

}  // namespace tw
