// Interleaved rounds: every contender still in the race runs once a round, in a fresh random order.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "search/runner.hpp"
#include "stats/random.hpp"

namespace tilewright {

/// A contender and its times. A lane that left the race keeps its samples, which are those of the
/// first rounds: lanes pair by round.
struct Lane {
  Contender contender;
  std::vector<double> samples_us;
  bool racing = true;
  bool operator==(const Lane&) const = default;
};

/// Rounds on a Runner; the only place that times anything.
class Race {
 public:
  /// `before_round` hears of every round; `seed` decides the orders.
  Race(
      Runner& runner, std::vector<Contender> contenders, uint64_t seed,
      std::function<void()> before_round = [] {});

  /// One round whose times are dropped: first launches load modules and fill caches.
  void warm_up();
  void run(int64_t rounds);

  /// Takes all but the fastest configs of ours out of the race, and every one slower than
  /// `slowest_ratio` times the best; at least one stays. References stay: see
  /// keep_best_reference.
  void keep_best(size_t ours, double slowest_ratio);
  /// Takes all references out but the fastest and the library's own first choice.
  void keep_best_reference();

  const std::vector<Lane>& lanes() const { return lanes_; }
  /// Lanes of ours by median, fastest first, still racing or not; ties by name.
  std::vector<const Lane*> ours_by_median() const;
  /// The reference with the smallest median, or null.
  const Lane* best_reference() const;
  /// Of our racing lanes; 0 before the first round.
  double best_us() const;
  /// Sum of the racing lanes' medians: the time of one round.
  double round_us() const;

 private:
  std::vector<double> one_round(std::vector<size_t>& order);

  Runner& runner_;
  std::vector<Lane> lanes_;
  Random random_;
  std::function<void()> before_round_;
};

}  // namespace tilewright
