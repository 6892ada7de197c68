// The search and the host table as CUTLASS's documentation of grouped schedulers describes them.
#include "tile/plan/problem_search.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "stats/random.hpp"
#include "support/plans.hpp"

using namespace tilewright;

namespace {

struct Group {
  std::string problems;
  std::vector<int64_t> tiles;  // by problem, in the given order
  std::vector<int64_t> depth;  // K
};

Group random_group(size_t most, Random& random) {
  Group group;
  const size_t count = 2 + random.below(static_cast<uint32_t>(most));
  for (size_t i = 0; i < count; ++i) {
    const int64_t m = 1 + random.below(3);
    const int64_t n = random.below(8) == 0 ? 0 : 1 + random.below(3);
    group.tiles.push_back(m * n);
    group.depth.push_back(64 * (1 + random.below(6)));
    group.problems += format("{}{}x{}x{}", i == 0 ? "" : ",", 128 * m, 128 * n, group.depth.back());
  }
  return group;
}

// (problem, starting tile) of every tile of the group, problem after problem.
std::vector<std::pair<int, int64_t>> concatenated(const Group& group,
                                                  const std::vector<int>& order) {
  std::vector<std::pair<int, int64_t>> tiles;
  for (const int problem : order) {
    const auto start = static_cast<int64_t>(tiles.size());
    for (int64_t tile = 0; tile < group.tiles[static_cast<size_t>(problem)]; ++tile) {
      tiles.emplace_back(problem, start);
    }
  }
  return tiles;
}

std::vector<int> by_descending_k(const Group& group) {
  std::vector<int> order;
  for (size_t i = 0; i < group.depth.size(); ++i) order.push_back(static_cast<int>(i));
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return group.depth[static_cast<size_t>(a)] > group.depth[static_cast<size_t>(b)];
  });
  return order;
}

}  // namespace

TEST_CASE("a warp finds each tile's problem with one prefix sum per 32 problems") {
  Random random(21);
  for (int i = 0; i < 60; ++i) {
    const Group group = random_group(120, random);
    const auto ctas = 1 + static_cast<int64_t>(random.below(40));
    const Plan plan =
        testing::plan_of({.problem = group.problems, .ctas = ctas, .order = "k-descending"});
    const std::vector<int> order = by_descending_k(group);
    const auto tiles = concatenated(group, order);
    const auto search = problem_search_steps(plan);
    CAPTURE(group.problems);
    CAPTURE(ctas);
    REQUIRE(search.size() == static_cast<size_t>(ctas));
    for (int64_t cta = 0; cta < ctas; ++cta) {
      const std::vector<ProblemSearchStep>& looks = search[static_cast<size_t>(cta)];
      size_t turn = 0;
      int64_t hosted = -1;  // the 32 problems that the lanes hold
      for (size_t tile = static_cast<size_t>(cta); tile < tiles.size();
           tile += static_cast<size_t>(ctas), ++turn) {
        REQUIRE(turn < looks.size());
        const ProblemSearchStep& look = looks[turn];
        const auto place = std::find(order.begin(), order.end(), tiles[tile].first) - order.begin();
        CHECK(look.unit == static_cast<int64_t>(tile));
        CHECK(look.first_place + look.lane == place);
        CHECK(look.lane == place % 32);
        CHECK(look.start == tiles[tile].second);
        CHECK(look.prefix_sums == place / 32 - hosted);
        hosted = place / 32;
      }
      CHECK(looks.size() == turn);
    }
  }
}

TEST_CASE("the host's table has a problem and its starting tile for every tile") {
  Random random(22);
  for (int i = 0; i < 60; ++i) {
    const Group group = random_group(30, random);
    const auto ctas = 1 + static_cast<int64_t>(random.below(20));
    testing::PlanWords words = {.problem = group.problems,
                                .ctas = ctas,
                                .group_schedule = "host-precompute",
                                .order = "k-descending"};
    const Plan plan = testing::plan_of(words);
    // The first tile of a problem does not depend on the division of tiles.
    words.decomposition = "split-k:3:serial";
    CHECK(starting_tiles(testing::plan_of(words)) == starting_tiles(plan));
    const auto tiles = concatenated(group, by_descending_k(group));
    const std::vector<int64_t> starts = starting_tiles(plan);
    const ScheduleTable table = schedule_table(plan);
    for (int64_t cta = 0; cta < ctas; ++cta) {
      size_t tile = static_cast<size_t>(cta);
      for (const tw::TableEntry& entry : table.of_worker[static_cast<size_t>(cta)]) {
        REQUIRE(tile < tiles.size());
        const auto place = static_cast<size_t>(entry.problem);
        CHECK(plan.order[place] == tiles[tile].first);
        CHECK(starts[place] == tiles[tile].second);
        CHECK(starts[place] + entry.unit == static_cast<int64_t>(tile));
        tile += static_cast<size_t>(ctas);
      }
      CHECK(tile >= tiles.size());
    }
  }
}
