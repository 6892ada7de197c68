// Interleaved rounds: every contender still in the race runs once a round, in a fresh random order.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "search/runner.hpp"
#include "stats/random.hpp"

namespace tilewright {

/// A contender and its times. An entry that left the race keeps its samples, those of the first
/// rounds; entries pair by round. An entry with a lost launch has none.
struct RaceEntry {
  Contender contender;
  std::vector<double> samples_us;
  std::vector<double> sm_mhz = {};  // of each sample, as LaunchTime has them
  std::vector<double> watts = {};
  bool racing = true;
  std::string failure = {};  // why its launch was lost
  bool operator==(const RaceEntry&) const = default;

  void add(const LaunchTime& time);
  /// Adds the samples of later rounds.
  void append(const RaceEntry& later);
};

/// Rounds on a Runner; nothing else measures times.
class Race {
 public:
  /// `before_round` is called before every round; `seed` determines the orders.
  Race(
      Runner& runner, std::vector<Contender> contenders, uint64_t seed,
      std::function<void()> before_round = [] {});

  /// One round without keeping its times: first launches load modules and fill caches.
  void warm_up();
  void run(int64_t rounds);

  /// Throws an Error of code WrongResult with the name of the first lost entry, if there is one.
  void require_all() const;

  /// Takes our configs out of the race that are surely, at this confidence, slower than the fastest
  /// by more than `slack` of its time, by paired ratios of the rounds so far. References stay.
  void drop_dominated(double confidence, double slack = 0);
  /// Takes all but our fastest configs out of the race.
  void keep_fastest(size_t ours);

  const std::vector<RaceEntry>& entries() const { return entries_; }
  /// Our entries by median, fastest first, still racing or not, without lost ones; ties by name.
  std::vector<const RaceEntry*> ours_by_median() const;
  /// Those of ours_by_median() that still race.
  std::vector<const RaceEntry*> racing_by_median() const;
  /// The reference with the smallest median, or null.
  const RaceEntry* best_reference() const;
  /// The smallest median of our racing entries; 0 before the first round.
  double best_us() const;
  /// Sum of the racing entries' medians: the time of one round.
  double round_us() const;

 private:
  std::vector<LaunchTime> one_round(std::vector<size_t>& order);
  RaceEntry& own(const RaceEntry* entry) {
    return entries_[static_cast<size_t>(entry - entries_.data())];
  }

  Runner& runner_;
  std::vector<RaceEntry> entries_;
  Random random_;
  std::function<void()> before_round_;
};

/// How long a race goes on, in rounds, and by which share more a config has to be slower to leave.
struct RacePatience {
  double slack;
  double most_rounds;
};

/// How long the kernels of a search race, those of a short list, and the forms of one kernel.
inline constexpr RacePatience kKernelRace = {.slack = 0.001, .most_rounds = 120};
inline constexpr RacePatience kShortRace = {.slack = 0.005, .most_rounds = 27};
inline constexpr RacePatience kFormRace = {.slack = 0.002, .most_rounds = 400};

/// Rounds in which configs leave once they are surely slower than the fastest, until one is left or
/// patience ends. `begin` hears how many rounds there are to be, before the first and whenever more
/// come.
void run_race(Race& race, RacePatience patience, const std::function<void(int64_t rounds)>& begin);

}  // namespace tilewright
