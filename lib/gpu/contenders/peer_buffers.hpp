// The memory that GPUs give each other for the launches of one config, in one process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/launch/peer_group.hpp"
#include "gpu/launch/peer_member.hpp"
#include "tile/plan/peer_store.hpp"

namespace tilewright {

class PeerBuffers {
 public:
  /// Allocates `store` on every GPU, with a red zone behind each half. A wait ends after
  /// `limit_ns`.
  PeerBuffers(const PeerGroup& group, const PeerStore& store, uint64_t limit_ns);

  /// The memory as GPU `rank` reaches it.
  const tw::PeerArgs& of(int rank) const { return member(rank).args(); }

  /// The GPU for which GPU `rank` waited longer than the limit; -1: none. Waits for earlier work.
  int lost_by(int rank) const { return member(rank).lost(); }
  /// What was written behind a GPU's memory; empty where nothing. Waits for earlier work.
  std::string find_stray_write() const;

 private:
  const PeerMember& member(int rank) const { return *members_[static_cast<size_t>(rank)]; }

  int64_t used_bytes_;  // of a half, without its red zone
  std::vector<std::unique_ptr<PeerMember>> members_;
};

}  // namespace tilewright
