// The memory that GPUs give each other for the launches of one config, in one process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/contenders/memory.hpp"
#include "gpu/launch/gemm_kernel.hpp"
#include "gpu/launch/peer_group.hpp"
#include "tile/plan/peer_store.hpp"

namespace tilewright {

class PeerBuffers {
 public:
  /// Allocates `store` on every GPU. A wait ends after `limit_ns`.
  PeerBuffers(const PeerGroup& group, const PeerStore& store, uint64_t limit_ns);

  /// The memory as GPU `rank` reaches it.
  const tw::PeerArgs& of(int rank) const { return memory_[static_cast<size_t>(rank)]; }

  /// The GPU for which GPU `rank` waited longer than the limit; -1: none. Waits for earlier work.
  int lost_by(int rank) const;
  /// What was written behind a GPU's memory; empty where nothing. Waits for earlier work.
  std::string find_stray_write() const;

 private:
  struct Own {
    DeviceBuffer halves;  // a red zone behind each
    DeviceBuffer state;
  };

  const PeerGroup& group_;
  int64_t half_bytes_;  // without its red zone
  std::vector<Own> own_;
  std::vector<tw::PeerArgs> memory_;
};

}  // namespace tilewright
