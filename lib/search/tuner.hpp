// The search: predict, compile the promising part, verify, race, expand the leaders, confirm.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "search/confirmation.hpp"
#include "search/rank.hpp"
#include "search/requirement.hpp"
#include "search/result.hpp"
#include "search/runner.hpp"
#include "search/space.hpp"
#include "search/strategy.hpp"

namespace tilewright {

/// What to search and how long.
struct TunePolicy {
  std::vector<SearchSpace> spaces = all_spaces();
  int kernels = 28;    // compiled in the first batch; more only when the compiler refuses many
  int race = 0;        // if not 0: that many kernels of a short list race, in place of a search
  int64_t rounds = 0;  // of the confirmation; 0: by the kernels' length
  uint64_t seed = 1;   // of the order of rounds
  bool counters = true;
  std::function<void()> between_races = [] {};  // also before the first and after the last
  Requirement require = {};                     // of every config
  Strategy strategy = Strategy::Model;
  Objective objective = Objective::Time;
  int64_t most_configs = std::numeric_limits<int64_t>::max();  // that may be measured
  bool is_bounded = false;                                     // by a budget
  std::function<bool(int64_t measured)> is_spent = [](int64_t) { return false; };  // the budget
  std::optional<TileConfig> incumbent = {};  // chosen unless another config is faster
};

/// One row for the user: a finalist with its times of the reporting rounds.
struct TuneRow {
  TileConfig config;
  Estimate predicted;
  std::optional<Timing> timing;
  std::optional<PairedRatio> ratio;  // the reference's time over its own, same rounds
  std::optional<Energy> energy = {};
  bool operator==(const TuneRow&) const = default;
};

/// The answer, and all finalists, fastest first.
struct TuneResult {
  TuneEntry entry;
  std::vector<TuneRow> rows;
  int64_t rounds = 0;  // of the confirmation
  bool operator==(const TuneResult&) const = default;
};

/// Finds the best config by measurement. Wrong kernels are listed, never timed. Throws Error with
/// No if nothing is legal, WrongResult if no kernel computed right results, Environment if none
/// could be compiled or launched, Interrupted if the run is interrupted. `ranking` is
/// rank_to_tune()'s, if the caller has it.
TuneResult tune(const Workload& problem, Runner& runner, const TunePolicy& policy,
                ProgressListener& progress, std::optional<Ranking> ranking = {});

}  // namespace tilewright
