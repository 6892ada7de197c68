// The proof that a schedule computes every k-step of every tile exactly once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tile/plan/plan.hpp"

namespace tilewright {

/// Counts are tiles with at least one such k-step; lists hold at most kMaxExamples.
struct ScheduleProof {
  static constexpr size_t kMaxExamples = 100;
  int64_t wanted = 0;  // tiles of the output
  int64_t missing_count = 0;
  int64_t duplicated_count = 0;
  int64_t outside_count = 0;         // pieces of work on no tile of the output, or beyond its K
  std::vector<WorkTile> missing;     // k-steps that no CTA computes
  std::vector<WorkTile> duplicated;  // k-steps that are computed more than once
  std::vector<WorkTile> outside;
  /// Every k-step of every tile of the output comes exactly once, and nothing else.
  bool complete = false;
  bool operator==(const ScheduleProof&) const = default;
};

/// A part of a divided tile; CTA `cta` computes it as its unit number `unit_index`.
struct TilePart {
  int64_t tile = 0;  // index over the concatenation of the problems' grids, row by row
  int32_t k_begin = 0;
  int32_t k_end = 0;
  int64_t cta = 0;
  int64_t unit_index = 0;
  bool operator==(const TilePart&) const = default;
};

/// Collects units: whole tiles as bits, parts as intervals.
class CoverageTally {
 public:
  explicit CoverageTally(const Plan& schedule);
  /// For work that runs past the last k-step, the k-steps before it count as inside.
  void add(int64_t cta, int64_t unit_index, WorkTile work);
  ScheduleProof finish();
  /// After finish(): the parts of divided tiles, by tile and k.
  const std::vector<TilePart>& parts() const { return parts_; }

 private:
  bool is_whole(int64_t tile) const { return whole_[static_cast<size_t>(tile)]; }
  WorkTile work_of(int64_t tile, int32_t begin, int32_t end) const;
  void sweep_parts(size_t begin, size_t end);
  void find_missing_wholes();
  void note(std::vector<WorkTile>& list, const WorkTile& work) const;

  const Plan& schedule_;
  std::vector<int64_t> first_tile_;  // of each problem
  std::vector<bool> whole_;
  std::vector<bool> divided_;
  std::vector<TilePart> parts_;
  ScheduleProof proof_;
};

/// Proves the schedule of a plan. Throws a usage error as require_walkable() does.
ScheduleProof prove_schedule(const Plan& schedule);

/// The same for lists from another source, such as a kernel's trace of these problems.
ScheduleProof prove_assignments(const Plan& schedule, std::span<const std::vector<WorkTile>> lists);

/// The faults of work from a file: "2 tiles missing, 1 tile computed more than once". Empty where
/// there are none, or where the schedule is this program's.
std::string fault_of_given(const Plan& schedule, const ScheduleProof& proof);

}  // namespace tilewright
