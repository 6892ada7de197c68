#include "tile/plan/schedule_report.hpp"

#include <doctest/doctest.h>

#include "support/plans.hpp"

using namespace tilewright;
using testing::plan_of;

namespace {

FixUp fix_up(std::string_view decomposition) {
  return report_schedule(
             plan_of({.problem = "256x128x4096", .ctas = 132, .decomposition = decomposition}))
      .fix_up;
}

}  // namespace

TEST_CASE("golden: workspace and traffic of two tiles in four splits, by reduction") {
  constexpr int64_t kTile = 128 * 128 * 4;
  struct Row {
    const char* decomposition;
    int64_t workspace;
    int64_t traffic;
  };
  for (const Row& row : {Row{"split-k:4", 2 * (kTile + 4), 2 * 6 * kTile},
                         {"split-k:4:serial-tma", 2 * (kTile + 4), 2 * 4 * kTile},
                         {"split-k:4:atomic", 2 * (kTile + 4), 2 * 6 * kTile},
                         {"split-k:4:workspace", 2 * 4 * kTile, 2 * 8 * kTile},
                         {"split-k:4:reduce-scatter", 2 * (4 * kTile + 4), 2 * 8 * kTile},
                         {"split-k:4:in-place", 2 * 4, 2 * 4 * kTile / 2},
                         {"split-k:4:cluster", 0, 0}}) {
    CAPTURE(row.decomposition);
    const FixUp f = fix_up(row.decomposition);
    CHECK(f.divided_tiles == 2);
    CHECK(f.parts == 8);
    CHECK(f.workspace_bytes == row.workspace);
    CHECK(f.traffic_bytes == row.traffic);
  }
  CHECK(fix_up("data-parallel") == FixUp{});
  CHECK(fix_up("split-k:1") == FixUp{});
}

TEST_CASE("only serial reductions wait, and stream-K's reverse walk keeps chains short") {
  const auto waits = [](std::string_view decomposition) {
    return report_schedule(plan_of({.problem = "256x128x4096",
                                    .ctas = 8,
                                    .decomposition = decomposition,
                                    .resident = 8}))
        .turnstiles;
  };
  CHECK(waits("split-k:4").waits == 6);
  CHECK(waits("split-k:4").longest_chain == 4);
  CHECK(waits("split-k:4:workspace").waits == 0);
  CHECK(waits("stream-k").ends);
}

TEST_CASE("checks find nested numbers under dotted keys") {
  const ScheduleReport r =
      report_schedule(plan_of({.problem = "1152x768x128,1152x768x1024", .ctas = 54}));
  const std::vector<CheckExpression> checks = {parse_check_expression("k_steps.max<=18"),
                                               parse_check_expression("proof.complete==true"),
                                               parse_check_expression("imbalance<0.5")};
  CHECK(violated_checks(checks, numbers_of(r)).size() == 1);
}
