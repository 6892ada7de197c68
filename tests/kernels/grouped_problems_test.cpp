// Units that a counter hands out, in any order in which workers become free.
#include "map/grouped_problems.cuh"

#include <doctest/doctest.h>

#include <random>
#include <vector>

namespace tilewright {
namespace {

using CounterFinder = tw::UnitFinder<true, int, tw::GroupedProblems>;

struct Worker {
  CounterFinder finder;
  int next_unit;
  int taken = -1;  // value from the counter; -1: the first unit, which needs none
};

// Simulates one launch; returns the counter's value after it.
int play(const std::vector<tw::GroupedProblem>& list, int workers, std::mt19937& random,
         std::vector<std::vector<int>>& times) {
  const tw::GroupWork<int, tw::GroupedProblems> work{
      .problems = {list.data()}, .problem_count = static_cast<int>(list.size()), .unit_count = 0};
  std::vector<Worker> all;
  std::vector<size_t> busy;
  for (int worker = 0; worker < workers; ++worker) {
    busy.push_back(all.size());
    all.push_back({CounterFinder(work), worker});
  }
  int counter = 0;
  int resets = 0;
  while (!busy.empty()) {
    const size_t free = random() % busy.size();
    Worker& worker = all[busy[free]];
    const tw::ProblemPlace<int> at = worker.finder.holding_unit(worker.next_unit);
    if (at.problem < 0) {
      if (worker.taken >= 0 &&
          tw::is_last_counter_value(worker.taken, worker.finder.total_units())) {
        counter = 0;
        ++resets;
      }
      busy.erase(busy.begin() + static_cast<std::ptrdiff_t>(free));
      continue;
    }
    const auto unit = tw::unit_at<tw::Division::None, int>(at, worker.next_unit);
    ++times[static_cast<size_t>(unit.problem)].at(static_cast<size_t>(unit.slot));
    worker.taken = counter++;
    worker.next_unit = tw::unit_of_counter(worker.taken, workers);
  }
  CHECK(resets <= 1);
  return counter;
}

TEST_CASE("each unit is handed out once in any order of workers, and the counter returns to 0") {
  std::mt19937 random(51);
  for (int round = 0; round < 300; ++round) {
    std::vector<tw::GroupedProblem> list(1 + random() % 80);
    std::vector<std::vector<int>> times;
    for (tw::GroupedProblem& problem : list) {
      problem.slots = random() % 3 == 0 ? 0 : static_cast<int>(random() % 12);
      problem.k_steps = static_cast<int>(random() % 5);
      times.emplace_back(static_cast<size_t>(problem.slots), 0);
    }
    const int workers = 1 + static_cast<int>(random() % 140);
    CHECK(play(list, workers, random, times) == 0);
    for (size_t i = 0; i < list.size(); ++i) {
      CHECK(times[i] == std::vector<int>(static_cast<size_t>(list[i].slots), 1));
    }
  }
}

TEST_CASE("a problem with its own shape has the slots and k-steps of its list entry") {
  std::vector<tw::GroupedProblem> list(3);
  list[0].slots = 4;
  list[0].k_steps = 7;
  list[2].slots = 1;
  const tw::GroupedProblems problems{list.data()};
  CHECK(problems[0] == tw::ProblemWork<int>{4, 7});
  CHECK(problems[1].units() == 0);
  CHECK(problems[2] == tw::ProblemWork<int>{1, 0});
}

}  // namespace
}  // namespace tilewright
