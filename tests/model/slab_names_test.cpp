#include "model/slab_names.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "support/plans.hpp"

namespace tilewright {
namespace {

TEST_CASE("every slab of a line that is read has its own name, whichever worker reads first") {
  const DeviceSpec device = testing::h200();
  const Plan plan = testing::plan_of({.problem = "900x1300x2000"});
  const ReplayScope scope = scope_of(plan, plan, device, Grain::Fine);
  std::vector<ReplayWorker> workers(2);
  workers[0].pieces = {{{3, 1}, 0, scope.depth}, {{0, 4}, 0, scope.depth}};
  workers[1].pieces = {{{3, 4}, 0, scope.depth}};
  const SlabNames names = name_slabs(scope, workers);
  std::set<uint32_t> seen;
  for (const int line : {0, 3, scope.lines.column(1), scope.lines.column(4)}) {
    for (int64_t step = 0; step < scope.steps; ++step) seen.insert(names.of(line, step));
  }
  CHECK(names.count == 4 * scope.steps);
  CHECK(seen.size() == names.count);
  CHECK(*seen.rbegin() == names.count - 1);
  std::swap(workers[0], workers[1]);
  CHECK(name_slabs(scope, workers).first == names.first);
}

}  // namespace
}  // namespace tilewright
