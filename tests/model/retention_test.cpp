#include "model/retention.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "stats/random.hpp"

namespace tilewright {
namespace {

// Lines fall into random sets; returns how often one is gone after `lines` others.
double thrown_dice(uint32_t sets, int ways, int lines) {
  constexpr int kTrials = 4000;
  Random random(7);
  int gone = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    int in_its_set = 0;
    for (int i = 0; i < lines; ++i) in_its_set += random.below(sets) == 0 ? 1 : 0;
    gone += in_its_set >= ways ? 1 : 0;
  }
  return static_cast<double>(gone) / kTrials;
}

TEST_CASE("the miss chance equals that of lines thrown into sets at random") {
  constexpr int kSets = 100;
  for (const int ways : {4, 16}) {
    for (const double depth : {0.5, 0.8, 1.0, 1.2, 1.6}) {
      const int lines = static_cast<int>(depth * kSets * ways);
      const double expected = thrown_dice(kSets, ways, lines);
      CHECK(miss_chance(lines, kSets * ways, ways) == doctest::Approx(expected).epsilon(0.1));
    }
  }
}

TEST_CASE("the miss chance grows with depth from 0 to 1, steeper with more ways") {
  for (const int ways : {1, 8, 32}) {
    double before = 0;
    for (double depth = 0; depth < 3; depth += 0.05) {
      const double chance = miss_chance(depth, 1, ways);
      CHECK(chance >= before);
      CHECK(chance <= 1);
      before = chance;
    }
    CHECK(miss_chance(0, 1, ways) == 0);
  }
  CHECK(miss_chance(0.7, 1, 32) < miss_chance(0.7, 1, 8));
  CHECK(miss_chance(1.4, 1, 32) > miss_chance(1.4, 1, 8));
}

TEST_CASE("classes ascend from surely cached to surely missing") {
  for (const int classes : {2, 8, 38}) {
    const Retention r = retention_of(1'000'000, 40, classes);
    REQUIRE(r.bounds.size() == static_cast<size_t>(classes));
    REQUIRE(r.miss.size() == r.bounds.size() + 1);
    CHECK(r.miss.front() == 0);
    CHECK(r.miss.back() == 1);
    for (size_t i = 1; i < r.bounds.size(); ++i) CHECK(r.bounds[i] > r.bounds[i - 1]);
    for (size_t i = 1; i < r.miss.size(); ++i) CHECK(r.miss[i] >= r.miss[i - 1]);
  }
}

}  // namespace
}  // namespace tilewright
