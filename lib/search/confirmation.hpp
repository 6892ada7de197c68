// The end of a search: all finalists and every algorithm of the reference library in the same
// rounds. The first rounds decide; fresh rounds report, and supply every number of the answer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "search/race.hpp"
#include "search/result.hpp"

namespace tilewright {

/// Times that differ by less than this share are equal to the choice.
inline constexpr double kSameWithin = 0.002;

struct ConfirmationPolicy {
  int64_t rounds = 0;    // reporting rounds; 0: by the kernels' length
  double seconds = 0.5;  // GPU time that rounds by the kernels' length fill
  uint64_t seed = 1;
  std::function<void()> between_races = [] {};
  std::optional<TileConfig> incumbent = {};  // chosen wherever it ties
  // Contenders that also run in the reporting rounds, but cannot become the choice.
  std::function<std::vector<Contender>(const Contender& choice)> observers = [](const Contender&) {
    return std::vector<Contender>();
  };
  // Picks the choice among entries that tie (at least one); empty: plainest() of our configs.
  std::function<const RaceEntry*(const std::vector<const RaceEntry*>& ties)> prefer = {};
};

/// Results of the reporting rounds. Pointers refer to `entries`; `ours` is sorted, fastest first.
/// `choice` is null if every finalist was lost.
struct Confirmation {
  std::vector<RaceEntry> entries;
  std::vector<const RaceEntry*> ours;
  std::vector<RaceEntry> observers;
  std::vector<RaceEntry> lost;  // finalists with lost launches
  const RaceEntry* choice = nullptr;
  const RaceEntry* reference = nullptr;  // the fastest of the deciding rounds, or null
  int64_t rounds = 0;

  Confirmation() = default;
  Confirmation(Confirmation&&) = default;
  Confirmation& operator=(Confirmation&&) = default;
};

/// Called for each round: how many are done, and out of how many.
using RoundListener = std::function<void(int64_t done, int64_t total)>;

/// `finalists` are configs that may run, at least one: all of ours, or all of one harness.
Confirmation confirm(const Workload& workload, Runner& runner,
                     const std::vector<Contender>& finalists,
                     const std::vector<Contender>& references, const ConfirmationPolicy& policy,
                     const RoundListener& listener);

/// The other finalists that the reporting rounds cannot distinguish from the choice; `ratio` is
/// their time divided by the choice's.
struct TiedEntry {
  const RaceEntry* entry = nullptr;
  double ratio = 1;
};
std::vector<TiedEntry> tied_with(const RaceEntry& choice, const Confirmation& confirmation);

/// Rounds that fill about so many seconds of GPU time, from 25 to 640 a second; `round_us` > 0.
int64_t rounds_for(double round_us, double seconds = 0.5);

}  // namespace tilewright
