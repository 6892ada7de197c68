// The search over the parameters of a harness: take legal values, prepare, verify, race, confirm.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "search/foreign_answer.hpp"
#include "search/harness_space.hpp"
#include "search/runner.hpp"
#include "search/strategy.hpp"

namespace tilewright {

/// What to search and how long.
struct ForeignPolicy {
  std::vector<AxisValue> given = {};            // that every config has
  std::optional<Strategy> strategy = {};        // nothing: Model where there is a mapping
  std::optional<TileConfig> ours = {};          // runs in the rounds of the answer
  int64_t rounds = 0;                           // of the confirmation; 0: by the kernels' length
  uint64_t seed = 1;                            // of random orders and of the order of rounds
  bool counters = true;                         // of the choice
  std::function<void()> between_races = [] {};  // before the first one and behind the last, too
  std::function<bool(int64_t measured)> is_spent = [](int64_t) { return false; };  // the budget
};

/// A finalist with its times of the reporting rounds.
struct ForeignRow {
  std::vector<AxisValue> values;
  Timing timing;
  std::optional<PairedRatio> ratio;  // the reference's time over its own, same rounds
  bool operator==(const ForeignRow&) const = default;
};

/// The answer, and all finalists, fastest first.
struct ForeignResult {
  ForeignEntry entry;
  std::vector<ForeignRow> rows;
  int64_t rounds = 0;  // of the confirmation
  bool operator==(const ForeignResult&) const = default;
};

/// Finds the fastest values by measurement. A kernel of others has no predicted time: Model orders
/// configs by the memory traffic that the replay foresees of their mapping, and where there is none
/// says so and takes them at random, as Random does; Exhaustive takes them in the order of the
/// harness. Among values that time cannot tell apart the choice is the first in that order. What
/// faults or computes wrong results costs its config and is listed. Throws a usage error for Local,
/// Error with No when nothing is legal, WrongResult when nothing computed right results.
ForeignResult tune_foreign(const Workload& workload, Runner& runner,
                           const HarnessDescription& harness, const ForeignPolicy& policy,
                           ProgressListener& progress);

}  // namespace tilewright
