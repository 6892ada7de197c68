#include "tile/plan/problem_search.hpp"

#include "base/interruption.hpp"
#include "map/problem_visitor.cuh"

namespace tilewright {

std::vector<int64_t> starting_tiles(const Plan& plan) {
  std::vector<int64_t> starts;
  starts.reserve(plan.ordered.size());
  int64_t tiles = 0;
  for (const tw::ProblemWork<int64_t>& work : plan.ordered) {
    starts.push_back(tiles);
    tiles += work.slots;
  }
  return starts;
}

std::vector<std::vector<ProblemSearchStep>> problem_search_steps(const Plan& plan) {
  require_walkable(plan);
  const auto count = static_cast<int>(plan.ordered.size());
  std::vector<std::vector<ProblemSearchStep>> of_worker(static_cast<size_t>(plan.workers));
  for (int64_t worker = 0; worker < plan.workers; ++worker) {
    throw_if_interrupted();
    int sums = 0;
    const auto units_of = [&](int place) {
      if (place % tw::kVisitorLanes == 0) ++sums;  // lane 0 is loaded once per prefix sum
      return plan.ordered[static_cast<size_t>(place)].units();
    };
    tw::ProblemVisitor<int64_t> visitor(count, units_of);
    const int64_t end = plan.stream_k_tiles + plan.units;
    for (int64_t unit = plan.stream_k_tiles + worker; unit < end; unit += plan.workers) {
      const tw::ProblemStart<int64_t> found = visitor.find(unit, units_of);
      const int lane = found.problem % tw::kVisitorLanes;
      of_worker[static_cast<size_t>(worker)].push_back(
          {unit, sums, found.problem - lane, lane, found.first});
      sums = 0;
    }
  }
  return of_worker;
}

}  // namespace tilewright
