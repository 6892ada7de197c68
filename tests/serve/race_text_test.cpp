#include "serve/race_text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace tilewright {
namespace {

const std::vector<std::string> kNames = {kPlainName, "family=sm90",
                                         "cuBLASLt 13.1.0, its first choice"};

// A race of these times, until the decision or for `calls` calls.
ProductRace race_of(const std::vector<double>& us, int calls = 100) {
  ProductRace race(static_cast<int>(us.size()));
  for (int i = 0; i < calls && !race.is_decided(); ++i) {
    const RaceTurn turn = race.next();
    if (turn.ticket < 0) continue;
    if (turn.is_timed) {
      race.record(turn.ticket, us[static_cast<size_t>(turn.candidate)]);
    } else {
      race.warmed(turn.ticket);
    }
  }
  return race;
}

TEST_CASE("a race under way is described with its calls") {
  const ProductRace race = race_of({3, 2, 1}, 4);
  CHECK(race_text({.plain = "model for h200: x", .names = kNames, .race = race}) ==
        "model for h200: x; racing: 4 of at most 9 calls");
}

TEST_CASE("a winner comes first, with its ratio, its calls and the plain answer") {
  const ProductRace race = race_of({4, 3.5, 3});
  CHECK(race_text({.plain = "model for h200: x", .names = kNames, .race = race}) ==
        "raced in 9 calls: cuBLASLt 13.1.0, its first choice, 0.750 of the plain answer's time; "
        "plain: model for h200: x");
}

TEST_CASE("without a winner the plain answer comes first") {
  const ProductRace race = race_of({3, 3, 3});
  CHECK(race_text({.plain = "model for h200: x", .names = kNames, .race = race}) ==
        "model for h200: x; raced in 9 calls: no other kernel is faster beyond the interval");
}

TEST_CASE("a result of an earlier process stands in place of the race") {
  const ProductRace race(3);
  RaceState state{.plain = "p", .names = kNames, .race = race, .found = {}};
  state.found = RaceResult{"family=sm90", 0.9, 27};
  CHECK(race_text(state) ==
        "raced in 27 calls of an earlier process: family=sm90, 0.900 of the plain answer's time; "
        "plain: p");
  state.found = RaceResult{kPlainName, 1, 6};
  CHECK(race_text(state) ==
        "p; raced in 6 calls of an earlier process: no other kernel is faster beyond the interval");
  state.found = RaceResult{"family=sm90", 0.9, 27};
  state.winner_failure = "out of memory";
  CHECK(race_text(state) ==
        "p; raced in 27 calls of an earlier process: the winner, family=sm90, cannot run: out of "
        "memory");
}

TEST_CASE("candidates that left and trouble with the file are named, on one line") {
  ProductRace race(3);
  for (int i = 0; i < 3; ++i) {
    const RaceTurn turn = race.next();
    turn.candidate == 1 ? race.fail(turn.ticket, "refused") : race.warmed(turn.ticket);
  }
  const RaceState state{
      .plain = "p", .names = kNames, .race = race, .file_trouble = "'f' is damaged"};
  CHECK(race_text(state) ==
        "p; racing: 3 of at most 9 calls; family=sm90 left: refused; winners are not kept: 'f' is "
        "damaged");
}

}  // namespace
}  // namespace tilewright
