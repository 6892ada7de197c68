// The proof that no part waits for ever at the turnstile of its tile.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tile/plan/schedule_proof.hpp"

namespace tilewright {

/// Result for turnstiles: a part waits for the part of the same tile that ends where it begins.
struct TurnstileProof {
  int64_t waits = 0;            // parts that wait
  int64_t longest_chain = 0;    // parts of one tile, each waiting for the one before
  bool ends = true;             // no CTA waits for ever
  std::vector<TilePart> stuck;  // parts that wait for ever, at most ScheduleProof::kMaxExamples
  bool operator==(const TurnstileProof&) const = default;
};

/// For every part the index of the part that it waits for; -1 where it waits for none, -2 where no
/// CTA computes that part. Parts are sorted by tile and k, as CoverageTally leaves them.
std::vector<int64_t> awaited_parts(std::span<const TilePart> parts);

/// For every CTA the indices of its parts, in its order.
std::vector<std::vector<int64_t>> parts_by_cta(std::span<const TilePart> parts, int64_t ctas);

/// Simulates the parts until all end or all wait. CTAs start in order of their number while fewer
/// than `resident` run (0: no limit), and stay until their last part is done.
TurnstileProof prove_turnstiles(std::span<const TilePart> parts, int64_t ctas, int64_t resident);

}  // namespace tilewright
