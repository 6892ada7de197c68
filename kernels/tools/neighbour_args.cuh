// Arguments of the kernel that moves data beside a product, and what it reports.
#pragma once

namespace tw {

/// What one CTA has done at a time of the device's clock.
struct alignas(16) NeighbourProgress {
  unsigned long long ns = 0;
  unsigned chunks = 0;
  unsigned sm = 0;
};

struct NeighbourArgs {
  static constexpr int kThreads = 512;  // the first warp moves nothing
  static constexpr int kVectorsPerLane = 8;
  static constexpr int kChunkVectors =
      32 * kVectorsPerLane;  // of 16 bytes: what a warp moves at once

  const void* first = nullptr;   // the buffers: `chunks` chunks each
  const void* second = nullptr;  // null: the first is copied; else both are added
  void* to = nullptr;
  int chunks = 0;
  unsigned turn = 1;                        // counts the launches
  unsigned long long most_ns = 0;           // the launch ends by itself then
  unsigned* arrived = nullptr;              // CTAs that have started, of all launches
  unsigned* ended = nullptr;                // the last turn of which the first CTA saw the end
  const volatile unsigned* stop = nullptr;  // host memory: the last turn that is to end
  unsigned* resident = nullptr;             // host memory: the last turn with all CTAs resident
  unsigned* expired = nullptr;              // host memory: the last turn that ended by itself
  NeighbourProgress* progress = nullptr;    // of each CTA
};

}  // namespace tw
