#include "model/slab_index.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

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
    for (int64_t step = 0; step < scope.steps; ++step) {
      index.for_each(scope.panels, panel, step, [&](uint32_t slab, int) { seen.insert(slab); });
    }
  }
  CHECK(index.count == 4 * scope.steps);
  CHECK(seen.size() == index.count);
  CHECK(*seen.rbegin() == index.count - 1);
  std::swap(workers[0], workers[1]);
  CHECK(index_slabs(scope, workers).first == index.first);
}

// The matrix and the lines behind a slab, by the definition: syrk computes A A', and syr2k
// A B' + B A', each product over all of K.
TEST_CASE("rows and columns of an update that are the same lines of a matrix share their slabs") {
  const DeviceSpec device = testing::h200();
  for (const std::string_view op : {"syrk", "syr2k"}) {
    for (const std::string_view cta : {"128x128x64", "192x96x64", "64x128x64", "128x160x64"}) {
      CAPTURE(op);
      CAPTURE(cta);
      const Plan plan = testing::plan_of(
          {.problem = "2000x2000x2048", .cta = cta, .raster = "swizzle-merge:2", .op = op});
      const ReplayScope scope = scope_of(plan, plan, device, ReplayDetail::Fine);
      std::vector<ReplayWorker> workers(1);
      for (int m = 0; m < scope.panels.tiles().m; ++m) {
        for (int n = 0; n < scope.panels.tiles().n; ++n) {
          workers[0].pieces.push_back({{m, n}, 0, scope.depth});
        }
      }
      const SlabIndex index = index_slabs(scope, workers);
      std::map<uint32_t, std::tuple<bool, int64_t, int64_t>> lines_of;  // matrix, first line, k
      for (int panel = 0; panel < scope.panels.count(); ++panel) {
        for (int64_t step = 0; step < scope.steps; ++step) {
          const int64_t k = step * scope.slab_k;
          const bool second = k >= 2048;
          const bool is_b = op == "syr2k" && second == scope.panels.is_row(panel);
          int64_t line = scope.panels.first_line(panel);
          int64_t all = 0;
          index.for_each(scope.panels, panel, step, [&](uint32_t slab, int lines) {
            const std::tuple<bool, int64_t, int64_t> now{is_b, line, k % 2048};
            CHECK(lines_of.try_emplace(slab, now).first->second == now);
            line += lines;
            all += lines;
          });
          CHECK(all == scope.panels.extent(panel));
        }
      }
      CHECK(lines_of.size() == index.count);
    }
  }
}

}  // namespace
}  // namespace tilewright
