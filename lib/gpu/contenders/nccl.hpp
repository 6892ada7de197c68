// NCCL, loaded at run time where the host has it: the collectives that products across GPUs are
// compared with.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/launch/peer_group.hpp"
#include "tile/workload/parallel.hpp"
#include "tile/workload/product_kind.hpp"

namespace tilewright {

/// Communicators of one process on all GPUs of a group.
class Nccl {
 public:
  /// Null where the host has no NCCL or it refuses the group; `why_not` then has the reason.
  static std::unique_ptr<Nccl> open(const PeerGroup& group, std::string& why_not);
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;
  ~Nccl();

  /// "NCCL 2.28.9".
  std::string version() const;

  /// Enqueues the collective on the stream of every GPU: `count` elements that each GPU gets of a
  /// reduce-scatter, has of an all-gather, or has of an all-reduce. Throws an environment error
  /// with NCCL's text.
  void enqueue(Collective collective, DataType type, int64_t count,
               const std::vector<const void*>& from, const std::vector<void*>& to,
               const std::vector<cudaStream_t>& streams) const;

 private:
  struct Library;
  Nccl(const PeerGroup& group, std::unique_ptr<Library> library);

  const PeerGroup& group_;
  std::unique_ptr<Library> library_;
  std::vector<void*> communicators_;  // by rank
};

}  // namespace tilewright
