#include "tile/plan/schedule_proof.hpp"

#include <algorithm>

#include "base/interruption.hpp"
#include "base/text.hpp"
#include "tile/plan/external_schedule.hpp"

namespace tilewright {
namespace {

bool by_tile_and_k(const TilePart& a, const TilePart& b) {
  if (a.tile != b.tile) return a.tile < b.tile;
  return a.k_begin != b.k_begin ? a.k_begin < b.k_begin : a.k_end < b.k_end;
}

}  // namespace

CoverageTally::CoverageTally(const Plan& schedule) : schedule_(schedule) {
  int64_t tiles = 0;
  for (const PlannedProblem& p : schedule.problems) {
    first_tile_.push_back(tiles);
    tiles += int64_t{p.tiles.m} * p.tiles.n;
  }
  first_tile_.push_back(tiles);
  whole_.resize(static_cast<size_t>(tiles));
  divided_.resize(static_cast<size_t>(tiles));
}

void CoverageTally::note(std::vector<WorkTile>& list, const WorkTile& work) const {
  if (list.size() < ScheduleProof::kMaxExamples) list.push_back(work);
}

void CoverageTally::add(int64_t cta, int64_t unit_index, WorkTile work) {
  const bool known = work.problem >= 0 && work.m >= 0 && work.n >= 0 &&
                     static_cast<size_t>(work.problem) < schedule_.problems.size();
  const int steps = known ? schedule_.problems[static_cast<size_t>(work.problem)].work.k_steps : 0;
  const bool begins = known && is_in_output(schedule_, work.problem, {work.m, work.n}) &&
                      work.k_begin >= 0 && (work.k_begin < steps || work.k_end <= steps);
  if (begins && work.k_end > steps) {
    WorkTile behind = work;
    behind.k_begin = work.k_end = steps;
    add(cta, unit_index, behind);
  }
  // A tile without k-steps is beta C, which is also computed once.
  const bool empty = work.k_begin >= work.k_end && steps > 0;
  if (!begins || empty) {
    ++proof_.outside_count;
    note(proof_.outside, work);
    return;
  }
  const int64_t columns = schedule_.problems[static_cast<size_t>(work.problem)].tiles.n;
  const int64_t tile = first_tile_[static_cast<size_t>(work.problem)] + work.m * columns + work.n;
  const bool whole = work.k_begin == 0 && work.k_end == steps;
  if (whole && !is_whole(tile)) {
    whole_[static_cast<size_t>(tile)] = true;
    return;
  }
  divided_[static_cast<size_t>(tile)] = true;
  parts_.push_back({tile, work.k_begin, work.k_end, cta, unit_index});
}

WorkTile CoverageTally::work_of(int64_t tile, int32_t begin, int32_t end) const {
  const auto after = std::upper_bound(first_tile_.begin(), first_tile_.end(), tile);
  const auto problem = static_cast<int32_t>(after - first_tile_.begin() - 1);
  const int64_t within = tile - *(after - 1);
  const int64_t columns = schedule_.problems[static_cast<size_t>(problem)].tiles.n;
  return {problem, static_cast<int32_t>(within / columns), static_cast<int32_t>(within % columns),
          begin, end};
}

// Checks the parts [begin, end) of one tile, sorted by k.
void CoverageTally::sweep_parts(size_t begin, size_t end) {
  throw_if_interrupted();
  const int64_t tile = parts_[begin].tile;
  const int32_t steps =
      schedule_.problems[static_cast<size_t>(work_of(tile, 0, 0).problem)].work.k_steps;
  int32_t covered = is_whole(tile) ? steps : 0;
  bool missing = false;
  bool duplicated = false;
  for (size_t i = begin; i < end; ++i) {
    const TilePart& part = parts_[i];
    if (part.k_begin > covered) {
      missing = true;
      note(proof_.missing, work_of(tile, covered, part.k_begin));
    }
    if (part.k_begin < covered) {
      duplicated = true;
      note(proof_.duplicated, work_of(tile, part.k_begin, std::min(covered, part.k_end)));
    }
    covered = std::max(covered, part.k_end);
  }
  if (covered < steps) {
    missing = true;
    note(proof_.missing, work_of(tile, covered, steps));
  }
  if (missing) ++proof_.missing_count;
  if (duplicated) ++proof_.duplicated_count;
}

// Counts the tiles that no unit covers, neither whole nor in part.
void CoverageTally::find_missing_wholes() {
  for (size_t problem = 0; problem < schedule_.problems.size(); ++problem) {
    const PlannedProblem& p = schedule_.problems[problem];
    int64_t tile = first_tile_[problem];
    for (int m = 0; m < p.tiles.m; ++m) {
      for (int n = 0; n < p.tiles.n; ++n, ++tile) {
        throw_if_interrupted();
        const auto at = static_cast<size_t>(tile);
        if (!whole_[at] && !is_in_output(schedule_, static_cast<int>(problem), {m, n})) continue;
        ++proof_.wanted;
        if (whole_[at] || divided_[at]) continue;
        ++proof_.missing_count;
        note(proof_.missing, {static_cast<int32_t>(problem), m, n, 0, p.work.k_steps});
      }
    }
  }
}

ScheduleProof CoverageTally::finish() {
  std::sort(parts_.begin(), parts_.end(), by_tile_and_k);
  for (size_t begin = 0; begin < parts_.size();) {
    size_t end = begin + 1;
    while (end < parts_.size() && parts_[end].tile == parts_[begin].tile) ++end;
    sweep_parts(begin, end);
    begin = end;
  }
  find_missing_wholes();
  proof_.complete =
      proof_.missing_count == 0 && proof_.duplicated_count == 0 && proof_.outside_count == 0;
  return proof_;
}

ScheduleProof prove_schedule(const Plan& schedule) {
  require_walkable(schedule);
  CoverageTally tally(schedule);
  for_each_unit(schedule, [&](const ScheduledUnit& unit) {
    if (unit.kind == UnitKind::Work) tally.add(unit.cta, 0, unit.work);
  });
  for_each_outside(schedule, [&](int64_t cta, const WorkTile& work) { tally.add(cta, 0, work); });
  return tally.finish();
}

ScheduleProof prove_assignments(const Plan& schedule,
                                std::span<const std::vector<WorkTile>> lists) {
  CoverageTally tally(schedule);
  for (size_t cta = 0; cta < lists.size(); ++cta) {
    for (size_t unit_index = 0; unit_index < lists[cta].size(); ++unit_index) {
      tally.add(static_cast<int64_t>(cta), static_cast<int64_t>(unit_index),
                lists[cta][unit_index]);
    }
  }
  return tally.finish();
}

std::string fault_of_given(const Plan& schedule, const ScheduleProof& proof) {
  if (!schedule.options.external || proof.complete) return "";
  std::vector<std::string> faults;
  const auto add = [&faults](int64_t count, const char* one, const char* more, const char* what) {
    if (count > 0) faults.push_back(format("{} {} {}", count, count == 1 ? one : more, what));
  };
  add(proof.missing_count, "tile", "tiles", "missing");
  add(proof.duplicated_count, "tile", "tiles", "computed more than once");
  add(proof.outside_count, "piece", "pieces", "of work outside of the output");
  return join(faults, ", ");
}

}  // namespace tilewright
