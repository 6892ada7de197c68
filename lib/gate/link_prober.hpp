// What the host learns of the links between its GPUs: transfers, copies, flags and sums.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace tilewright {

/// GPU `first`, and those of `count` by their numbers that are linked with it and with each other;
/// at most tw::kMaxGpus.
std::vector<int> linked_gpus(int first, int count,
                             const std::function<bool(int gpu, int peer)>& are_linked);

/// How a kernel reaches a peer's memory: by 16-byte vectors, or from shared memory by TMA.
enum class LinkAccess { VectorStore, BulkStore, BulkAdd, VectorLoad };

/// A GPU and the peer with the memory that it stores to, adds to, loads from or copies to; N of
/// cuda:N.
struct LinkFlow {
  int gpu = 0;
  int peer = 0;
  bool operator==(const LinkFlow&) const = default;
};

/// fp32 sums of two GPUs at the same addresses at once.
struct AddProbe {
  int64_t added_count = 0;
  int64_t lost_count = 0;
  bool operator==(const AddProbe&) const = default;
};

/// Runs the probes between GPUs of one kind that have access to each other's memory. All flows of a
/// probe run at once; the slowest counts. Every time is a median of several runs. Throws an
/// environment error if a probe cannot run.
class LinkProber {
 public:
  virtual ~LinkProber() = default;
  /// The rate of all multiprocessors of each GPU.
  virtual double access_bytes_per_us(LinkAccess access, std::span<const LinkFlow> flows) = 0;
  /// The rate of one CTA of each GPU.
  virtual double cta_bytes_per_us(LinkAccess access, std::span<const LinkFlow> flows) = 0;
  /// Copies of `bytes` by copy engines, which start together.
  virtual double copy_us(int64_t bytes, std::span<const LinkFlow> flows) = 0;
  /// From a release on one GPU until the other's acquire sees it.
  virtual double flag_us(LinkFlow pair) = 0;
  /// Both GPUs add to the peer's memory by TMA.
  virtual AddProbe add_at_once(LinkFlow pair) = 0;
};

}  // namespace tilewright
