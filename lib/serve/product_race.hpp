// Which of several kernels computes the first calls of a product, and which one the later calls.
//
// Every candidate is warmed up once. Then they are timed in rounds: after the first, those far
// behind the fastest leave; after each further one, the slower half does. Candidate 0 is the plain
// answer, which stays to the end: another one replaces it only if it is faster beyond the interval
// of their paired times. Nothing here waits: while times are on their way, the rounds go on with
// all that are left.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

/// What one call does: it runs `candidate`. A call without a ticket is not part of the race.
struct RaceTurn {
  int candidate = 0;
  int ticket = -1;
  bool is_timed = false;  // else, with a ticket, it is the candidate's warm-up
  bool operator==(const RaceTurn&) const = default;
};

/// One race; its callers take turns with a lock.
class ProductRace {
 public:
  /// Calls of all candidates together, per candidate.
  static constexpr int kCallsPerCandidate = 3;
  /// Calls of the plain answer, without tickets, that may wait for times that are on their way.
  static constexpr int kGraceCalls = 32;
  /// A candidate leaves if its first time is this much longer than the shortest.
  static constexpr double kFarBehind = 1.3;

  explicit ProductRace(int candidates);

  /// The turn of the next call. Once the race is decided, it is the winner's.
  RaceTurn next();

  /// The warm-up has been launched: the candidate's kernels are loaded.
  void warmed(int ticket);
  /// The time of a timed turn, which may come in any order and after the decision. One that is not
  /// above 0 counts as lost.
  void record(int ticket, double us);
  /// The time of a turn will not come.
  void lose(int ticket);
  /// The candidate of a turn cannot run, and leaves. The plain answer never leaves.
  void fail(int ticket, std::string why);

  bool is_decided() const { return winner_.has_value(); }
  /// The winner; until the decision, the plain answer.
  int winner() const { return winner_.value_or(0); }
  /// The winner's time over the plain answer's; 1 for the plain answer.
  double ratio() const { return ratio_; }
  /// Calls with a ticket.
  int calls() const { return static_cast<int>(tickets_.size()); }
  /// The most calls with a ticket.
  int max_calls() const { return kCallsPerCandidate * static_cast<int>(candidates_.size()); }
  /// Why candidates could not run, in the order of the candidates; empty for those that could.
  std::vector<std::string> failures() const;

 private:
  enum class State { Cold, Warming, Warm, Gone };
  struct Sample {
    std::optional<double> us;
    bool is_pending = true;
  };
  struct Candidate {
    State state = State::Cold;
    std::vector<Sample> rounds;
    std::string failure;
  };
  struct Ticket {
    int candidate = 0;
    std::optional<size_t> round;  // none for a warm-up
  };

  bool is_in(const Candidate& candidate) const { return candidate.state != State::Gone; }
  Candidate& candidate_of(int ticket);
  Sample* sample_of(int ticket);
  RaceTurn issue(int candidate, std::optional<size_t> round);
  std::optional<RaceTurn> cold_turn();
  std::optional<RaceTurn> timed_turn();
  size_t complete_rounds() const;
  int rival_count() const;
  double median_us(const Candidate& candidate) const;
  void drop_slow();
  void drop_far_behind();
  void drop_slower_half();
  bool has_pending() const;
  void decide();
  std::optional<double> ratio_if_faster(const Candidate& rival) const;

  std::vector<Candidate> candidates_;
  std::vector<Ticket> tickets_;
  size_t judged_rounds_ = 0;
  int grace_calls_ = 0;
  std::optional<int> winner_;
  double ratio_ = 1;
};

}  // namespace tilewright
