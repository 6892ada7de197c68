// The proof that the parts of divided tiles meet, where each waits for all others of its tile.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tile/plan/schedule_proof.hpp"

namespace tilewright {

/// Meetings of reduce-scatter: a part ends once every part of its tile has come.
struct MeetingProof {
  int64_t parts = 0;            // that meet others
  bool ends = true;             // no CTA waits for ever
  std::vector<TilePart> stuck;  // at most ScheduleProof::kMostExamples that wait for ever
  bool operator==(const MeetingProof&) const = default;
};

/// Runs the parts to the end or to a standstill, as prove_turnstiles() does: parts are sorted by
/// tile and k, CTAs start in order of their number as long as fewer than `resident` run (0: all
/// do).
MeetingProof prove_meetings(std::span<const TilePart> parts, int64_t ctas, int64_t resident);

}  // namespace tilewright
