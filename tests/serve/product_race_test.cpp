#include "serve/product_race.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "stats/random.hpp"

namespace tilewright {
namespace {

// The time of a candidate's next launch.
using Times = std::function<double(int candidate)>;

// What a device does with the launches of a race.
struct FakeDevice {
  Times us;
  int delay = 0;      // a time is known so many calls after its launch
  double lost = 0;    // the share of times that never come
  uint64_t seed = 1;  // of the lost ones
};

struct Run {
  int calls = 0;  // until the decision
  std::vector<int> turns;
};

// Calls until the race is decided; at most `most` calls.
Run run_race(ProductRace& race, const FakeDevice& device, int most = 1000) {
  struct Coming {
    int call = 0;
    int ticket = 0;
    double us = 0;
  };
  std::deque<Coming> coming;
  Random random(device.seed);
  Run run;
  while (!race.is_decided() && run.calls < most) {
    while (!coming.empty() && coming.front().call <= run.calls) {
      race.record(coming.front().ticket, coming.front().us);
      coming.pop_front();
    }
    const RaceTurn turn = race.next();
    ++run.calls;
    run.turns.push_back(turn.candidate);
    if (turn.ticket < 0) continue;
    if (!turn.is_timed) {
      race.warmed(turn.ticket);
      continue;
    }
    const double us = device.us(turn.candidate);
    if (random.uniform() < device.lost) continue;
    coming.push_back({run.calls + device.delay, turn.ticket, us});
  }
  return run;
}

// Fixed times, in microseconds.
Times fixed(std::vector<double> us) {
  return [us = std::move(us)](int candidate) { return us[static_cast<size_t>(candidate)]; };
}

// Fixed times, each longer by a share that is exponential with this mean.
Times noisy(std::vector<double> us, double share, uint64_t seed) {
  return [us = std::move(us), share, random = Random(seed)](int candidate) mutable {
    const double noise = -share * std::log(1 - random.uniform());
    return us[static_cast<size_t>(candidate)] * (1 + noise);
  };
}

int max_calls(int candidates) {
  return ProductRace::kCallsPerCandidate * candidates + ProductRace::kGraceCalls + 1;
}

std::vector<double> random_times(int candidates, Random& random) {
  std::vector<double> us;
  for (int i = 0; i < candidates; ++i) us.push_back(2 + 100 * random.uniform());
  return us;
}

TEST_CASE("without noise the fastest candidate wins, for any times and any delay") {
  Random random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    const int candidates = 2 + static_cast<int>(random.below(8));
    const int delay = static_cast<int>(random.below(4));
    const std::vector<double> us = random_times(candidates, random);
    ProductRace race(candidates);
    const Run run = run_race(race, {.us = fixed(us), .delay = delay});
    REQUIRE(race.is_decided());
    const auto fastest = static_cast<int>(std::min_element(us.begin(), us.end()) - us.begin());
    CAPTURE(candidates);
    CAPTURE(delay);
    CHECK(race.winner() == fastest);
    CHECK(race.ratio() == doctest::Approx(us[static_cast<size_t>(fastest)] / us[0]));
    CHECK(run.calls <= max_calls(candidates));
    CHECK(race.calls() <= race.max_calls());
  }
}

TEST_CASE("every candidate runs once before any is timed, and none more often than the plain one") {
  for (int candidates = 2; candidates <= 9; ++candidates) {
    ProductRace race(candidates);
    std::vector<double> us;
    for (int i = 0; i < candidates; ++i) us.push_back(100 - i);
    const Run run = run_race(race, {.us = fixed(us)});
    std::vector<int> count(static_cast<size_t>(candidates));
    for (int i = 0; i < candidates; ++i) CHECK(run.turns[static_cast<size_t>(i)] == i);
    for (const int candidate : run.turns) ++count[static_cast<size_t>(candidate)];
    CHECK(*std::max_element(count.begin(), count.end()) <= count.front() + 1);
    // The two that are left at the end are timed at least twice.
    CHECK(count.front() >= 3);
    CHECK(count.back() >= 3);
  }
}

TEST_CASE("under noise the winner is near the fastest, and never far behind the plain answer") {
  constexpr int kTrials = 2000;
  Random random(17);
  for (const double share : {0.01, 0.03, 0.1}) {
    double lost = 0;
    double gained = 0;
    int worse = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      const int candidates = 2 + static_cast<int>(random.below(8));
      std::vector<double> us;
      for (int i = 0; i < candidates; ++i) us.push_back(10 * (1 + 0.5 * random.uniform()));
      ProductRace race(candidates);
      run_race(race, {.us = noisy(us, share, random.next()), .delay = 2});
      const double won = us[static_cast<size_t>(race.winner())];
      lost += std::log(won / *std::min_element(us.begin(), us.end()));
      gained += std::log(us[0] / won);
      worse += won > us[0] * (1 + share) ? 1 : 0;
    }
    CAPTURE(share);
    CHECK(lost / kTrials < 0.3 * share);
    CHECK(gained / kTrials > 0.1);
    CHECK(worse <= kTrials / 200);
  }
}

TEST_CASE("equal times, and rivals that are slower, leave the plain answer") {
  for (int candidates = 1; candidates <= 9; ++candidates) {
    ProductRace equal(candidates);
    run_race(equal, {.us = fixed(std::vector<double>(static_cast<size_t>(candidates), 7))});
    CHECK(equal.is_decided());
    CHECK(equal.winner() == 0);
    CHECK(equal.ratio() == 1);
    std::vector<double> us(static_cast<size_t>(candidates), 7.01);
    us[0] = 7;
    ProductRace slower(candidates);
    run_race(slower, {.us = fixed(us)});
    CHECK(slower.winner() == 0);
  }
}

TEST_CASE("equal samples give equal races") {
  for (uint64_t seed = 1; seed < 50; ++seed) {
    std::vector<Run> runs;
    std::vector<int> winners;
    for (int i = 0; i < 2; ++i) {
      ProductRace race(6);
      runs.push_back(run_race(
          race,
          {.us = noisy({9, 8, 10, 7, 9, 8}, 0.2, seed), .delay = 3, .lost = 0.2, .seed = seed}));
      winners.push_back(race.winner());
    }
    CHECK(runs[0].turns == runs[1].turns);
    CHECK(winners[0] == winners[1]);
  }
}

TEST_CASE(
    "lost times end no race late: within the calls of the budget and of grace it is decided") {
  Random random(5);
  for (const double lost : {0.1, 0.5, 0.9, 1.0}) {
    for (int trial = 0; trial < 300; ++trial) {
      const int candidates = 2 + static_cast<int>(random.below(8));
      ProductRace race(candidates);
      const Run run = run_race(race, {.us = fixed(random_times(candidates, random)),
                                      .delay = static_cast<int>(random.below(60)),
                                      .lost = lost,
                                      .seed = random.next()});
      CHECK(race.is_decided());
      CHECK(run.calls <= max_calls(candidates));
      CHECK(race.calls() <= race.max_calls());
      if (lost == 1.0) CHECK(race.winner() == 0);
    }
  }
}

TEST_CASE("if no time comes before the last call, the times of grace decide") {
  const std::vector<double> us = {10, 9, 8, 7};
  ProductRace race(4);
  const int delay = ProductRace::kCallsPerCandidate * 4 + 4;
  run_race(race, {.us = fixed(us), .delay = delay});
  CHECK(race.winner() == 3);
}

TEST_CASE("a candidate that fails leaves with its reason, whatever its times were") {
  Random random(9);
  for (int trial = 0; trial < 500; ++trial) {
    const int candidates = 2 + static_cast<int>(random.below(8));
    const auto broken = 1 + static_cast<int>(random.below(static_cast<uint32_t>(candidates - 1)));
    const auto fails_at = static_cast<int>(random.below(3));
    std::vector<double> us = random_times(candidates, random);
    us[static_cast<size_t>(broken)] = 1;  // it would win
    ProductRace race(candidates);
    int turns = 0;
    int calls = 0;
    while (!race.is_decided()) {
      REQUIRE(++calls <= max_calls(candidates));
      const RaceTurn turn = race.next();
      if (turn.ticket < 0) continue;
      if (turn.candidate == broken && turns++ == fails_at) {
        race.fail(turn.ticket, "refused");
      } else if (turn.is_timed) {
        race.record(turn.ticket, us[static_cast<size_t>(turn.candidate)]);
      } else {
        race.warmed(turn.ticket);
      }
    }
    us[static_cast<size_t>(broken)] = 1000;
    CHECK(turns == fails_at + 1);
    // After its first time, the others may have left as far behind it.
    const auto fastest = std::min_element(us.begin(), us.end()) - us.begin();
    CHECK((race.winner() == fastest || (race.winner() == 0 && fails_at == 2)));
    std::vector<std::string> reasons(static_cast<size_t>(candidates));
    reasons[static_cast<size_t>(broken)] = "refused";
    CHECK(race.failures() == reasons);
  }
}

TEST_CASE("if all rivals fail the plain answer wins at once, and it never leaves") {
  ProductRace race(3);
  CHECK(race.next() == RaceTurn{0, 0, false});
  race.fail(0, "out of memory");
  CHECK(!race.is_decided());
  for (const int rival : {1, 2}) {
    const RaceTurn turn = race.next();
    CHECK(turn.candidate == rival);
    race.fail(turn.ticket, "refused");
  }
  CHECK(race.is_decided());
  CHECK(race.winner() == 0);
  CHECK(race.failures().front().empty());
}

TEST_CASE(
    "while other threads warm up all candidates, calls run the plain answer outside the race") {
  ProductRace race(2);
  const RaceTurn first = race.next();
  const RaceTurn second = race.next();
  for (int i = 0; i < 10 * ProductRace::kGraceCalls; ++i) CHECK(race.next() == RaceTurn{});
  CHECK(!race.is_decided());
  race.warmed(second.ticket);
  CHECK(race.next() == RaceTurn{1, 2, true});
  race.warmed(first.ticket);
  CHECK(race.next() == RaceTurn{0, 3, true});
}

TEST_CASE("times that are no times, repeated ones and late ones change nothing") {
  const double kInfinity = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1.0, kInfinity, std::nan("")}) {
    ProductRace race(2);
    for (int i = 0; i < 2; ++i) race.warmed(race.next().ticket);
    int turns = 0;
    while (!race.is_decided()) {
      const RaceTurn turn = race.next();
      if (turn.ticket < 0) continue;
      // The rival's bad times would make it the fastest.
      race.record(turn.ticket, turn.candidate == 1 ? bad : 5);
      race.record(turn.ticket, turn.candidate == 1 ? 1 : 100);
      ++turns;
    }
    CHECK(turns == 4);
    CHECK(race.winner() == 0);
    race.record(2, 0.001);
    CHECK(race.winner() == 0);
  }
}

// The rule of the decision, written anew: all pairs of a short sample must be below 1.
TEST_CASE("a rival of two or three pairs wins only if it is faster in each of them") {
  Random random(21);
  for (int trial = 0; trial < 2000; ++trial) {
    ProductRace race(2);
    for (int i = 0; i < 2; ++i) race.warmed(race.next().ticket);
    std::vector<double> times[2];
    while (!race.is_decided()) {
      const RaceTurn turn = race.next();
      if (turn.ticket < 0) continue;
      const double us = 1 + 0.2 * random.uniform();
      times[turn.candidate].push_back(us);
      race.record(turn.ticket, us);
    }
    REQUIRE(times[1].size() <= 2);
    bool wins = times[1].size() == 2;
    for (size_t i = 0; i < times[1].size(); ++i) wins = wins && times[1][i] < times[0][i];
    CHECK((race.winner() == 1) == wins);
  }
}

}  // namespace
}  // namespace tilewright
