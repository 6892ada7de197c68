// The proof that no part of a divided tile waits for ever, where each waits for all others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tile/plan/schedule_proof.hpp"

namespace tilewright {

/// Result for reduce-scatter: a part ends once every part of its tile has arrived.
struct ExchangeProof {
  int64_t parts = 0;            // that wait for others
  bool ends = true;             // no CTA waits for ever
  std::vector<TilePart> stuck;  // parts that wait for ever, at most ScheduleProof::kMaxExamples
  bool operator==(const ExchangeProof&) const = default;
};

/// Simulates the parts until all end or all wait, as prove_turnstiles() does. Parts are sorted by
/// tile and k. CTAs start in order of their number while fewer than `resident` run (0: no limit).
ExchangeProof prove_exchanges(std::span<const TilePart> parts, int64_t ctas, int64_t resident);

}  // namespace tilewright
