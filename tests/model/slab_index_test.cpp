#include "model/slab_index.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "support/plans.hpp"

namespace tilewright {
namespace {

TEST_CASE("every slab of a panel that is read has its own name, whichever worker reads first") {
  const DeviceSpec device = testing::h200();
  const Plan plan = testing::plan_of({.problem = "900x1300x2000"});
  const ReplayScope scope = scope_of(plan, plan, device, ReplayDetail::Fine);
  std::vector<ReplayWorker> workers(2);
  workers[0].pieces = {{{3, 1}, 0, scope.depth}, {{0, 4}, 0, scope.depth}};
  workers[1].pieces = {{{3, 4}, 0, scope.depth}};
  const SlabIndex index = index_slabs(scope, workers);
  std::set<uint32_t> seen;
  for (const int panel : {0, 3, scope.panels.column(1), scope.panels.column(4)}) {
    for (int64_t step = 0; step < scope.steps; ++step) seen.insert(index.at(panel, step));
  }
  CHECK(index.count == 4 * scope.steps);
  CHECK(seen.size() == index.count);
  CHECK(*seen.rbegin() == index.count - 1);
  std::swap(workers[0], workers[1]);
  CHECK(index_slabs(scope, workers).first == index.first);
}

}  // namespace
}  // namespace tilewright
