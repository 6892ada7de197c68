// The proof of a product that GPUs share: every part reaches its owner once, and no GPU waits for
// ever.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tile/plan/plan.hpp"

namespace tilewright {

/// The bytes that one GPU sends to another in a launch.
struct LinkLoad {
  int from = 0;
  int to = 0;
  int64_t bytes = 0;
  bool operator==(const LinkLoad&) const = default;
};

/// A unit of GPU `rank`: CTA `cta` computes it as its unit number `unit_index`.
struct RankUnit {
  int rank = 0;
  int64_t cta = 0;
  int64_t unit_index = 0;
  WorkTile work;
  bool operator==(const RankUnit&) const = default;
};

/// Counts of what crosses links. Lists hold at most kMaxExamples.
struct PeerProof {
  static constexpr size_t kMaxExamples = 100;
  int64_t parts = 0;             // sent to owners, or blocks of A that GPUs receive
  int64_t missing_count = 0;     // that never reach their GPU
  int64_t duplicated_count = 0;  // places of a GPU that two are stored in
  std::vector<LinkLoad> links;   // every pair, by `from`, then `to`
  bool ends = true;              // no CTA waits for ever
  std::vector<RankUnit> stuck;   // units that wait for ever
  /// Every owner gets each other GPU's part of each of its tiles once, in a place of its own; of an
  /// all-gather, every GPU each block of the others once.
  bool complete = false;
  bool operator==(const PeerProof&) const = default;
};

/// The link with the most bytes, the first of equals.
LinkLoad busiest_link(const PeerProof& proof);

/// Proves the plans of all GPUs of a product across GPUs, in order of their rank, together. Parts
/// of a reduce-scatter go to the owner of their rows, which waits for them before it stores D. Rows
/// of A, which their owners send, are awaited by the tiles that load them. Throws a usage error as
/// require_walkable() does.
PeerProof prove_peers(std::span<const Plan> ranks);

}  // namespace tilewright
