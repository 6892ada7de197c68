// The search over the parameters of a harness: take legal values, prepare, verify, race, confirm.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/foreign_answer.hpp"
#include "search/harness_space.hpp"
#include "search/runner.hpp"
#include "search/strategy.hpp"

namespace tilewright {

/// What to search, and for how long.
struct ForeignPolicy {
  std::vector<AxisValue> given = {};      // values that every config has
  std::optional<Strategy> strategy = {};  // none: Model where there is a mapping
  std::optional<TileConfig> ours = {};    // timed in the rounds of the answer
  int64_t rounds = 0;    // rounds of the confirmation; 0: chosen by the kernels' time
  uint64_t seed = 1;     // of random orders and of the order of rounds
  bool counters = true;  // whether to read the counters of the choice
  std::function<void()> between_races = [] {};  // also before the first race and after the last
  std::function<bool(int64_t measured)> is_spent = [](int64_t) { return false; };  // the budget
};

/// A finalist and its times in the reporting rounds.
struct ForeignRow {
  std::vector<AxisValue> values;
  Timing timing;
  std::optional<PairedRatio> ratio;  // the reference's time over this row's, same rounds
  bool operator==(const ForeignRow&) const = default;
};

/// The answer and all finalists, fastest first.
struct ForeignResult {
  ForeignEntry entry;
  std::vector<ForeignRow> rows;
  int64_t rounds = 0;  // rounds of the confirmation
  bool operator==(const ForeignResult&) const = default;
};

/// Finds the fastest values by measurement. A foreign kernel has no predicted time, so Model orders
/// configs by what their mapping tells, in the running_order(); without a mapping it reports that
/// and takes them in random order, like Random. Exhaustive keeps the harness's order. Among values
/// that time cannot distinguish, the choice is the first in the harness's order. The harness's
/// default config is timed in the rounds of the answer, whatever the budget is. A config that
/// faults or computes wrong results is dropped and listed. Throws a usage error for Local, Error
/// with No when no config is legal or the harness refuses all, WrongResult when none computed right
/// results.
ForeignResult tune_foreign(const Workload& workload, Runner& runner,
                           const HarnessDescription& harness, const ForeignPolicy& policy,
                           ProgressListener& progress);

}  // namespace tilewright
