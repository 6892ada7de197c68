#include "tile/plan/schedule_proof.hpp"

#include <doctest/doctest.h>

#include "support/plans.hpp"
#include "tile/plan/schedule_report.hpp"

using namespace tilewright;
using testing::plan_of;
using testing::PlanWords;

namespace {

const PlanWords kSmall{.problem = "2x2x4,3x1x2", .cta = "1x1x1", .ctas = 3};

}  // namespace

TEST_CASE("the proof names work that a list omits, repeats or puts outside") {
  const Plan s = plan_of(kSmall);
  std::vector<std::vector<WorkTile>> lists = assignments(s);
  CHECK(prove_assignments(s, lists).complete);
  CHECK(prove_assignments(s, lists).wanted == 7);

  std::vector<std::vector<WorkTile>> without = lists;
  const WorkTile lost = without[1].back();
  without[1].pop_back();
  CHECK(prove_assignments(s, without).missing == std::vector<WorkTile>{lost});

  std::vector<std::vector<WorkTile>> twice = lists;
  twice[0].push_back(lost);
  const ScheduleProof repeated = prove_assignments(s, twice);
  CHECK(repeated.duplicated == std::vector<WorkTile>{lost});
  CHECK(repeated.missing_count == 0);
  CHECK_FALSE(repeated.complete);

  std::vector<std::vector<WorkTile>> beyond = lists;
  beyond[2].push_back({0, 2, 0, 0, 4});
  beyond[2].push_back({0, 0, 0, 0, 5});
  beyond[2].push_back({1, 0, 0, 1, 1});
  beyond[2].push_back({2, 0, 0, 0, 1});
  beyond[2].push_back({0, -1, 0, 0, 1});
  CHECK(prove_assignments(s, beyond).outside_count == 5);
  CHECK_FALSE(prove_assignments(s, beyond).complete);
}

TEST_CASE("the splits of a tile must join without gaps and overlaps") {
  const Plan s = plan_of({.problem = "1x1x8", .cta = "1x1x1", .ctas = 1});
  const auto proof = [&](std::vector<WorkTile> list) {
    return prove_assignments(s, std::vector<std::vector<WorkTile>>{std::move(list)});
  };
  CHECK(proof({{0, 0, 0, 0, 3}, {0, 0, 0, 3, 8}}).complete);
  CHECK(proof({{0, 0, 0, 3, 8}, {0, 0, 0, 0, 3}}).complete);
  CHECK(proof({{0, 0, 0, 0, 3}, {0, 0, 0, 4, 8}}).missing ==
        std::vector<WorkTile>{{0, 0, 0, 3, 4}});
  CHECK(proof({{0, 0, 0, 1, 7}}).missing ==
        std::vector<WorkTile>{{0, 0, 0, 0, 1}, {0, 0, 0, 7, 8}});
  CHECK(proof({{0, 0, 0, 0, 5}, {0, 0, 0, 3, 8}}).duplicated ==
        std::vector<WorkTile>{{0, 0, 0, 3, 5}});
  CHECK(proof({{0, 0, 0, 0, 8}, {0, 0, 0, 2, 4}}).duplicated ==
        std::vector<WorkTile>{{0, 0, 0, 2, 4}});
  CHECK(proof({{0, 0, 0, 0, 8}, {0, 0, 0, 0, 8}}).duplicated_count == 1);
  CHECK(proof({}).missing_count == 1);
}

TEST_CASE("a host that counts unpadded tiles drops two of a group of 2x2 and 3x3") {
  PlanWords words{.problem = "256x256x64,384x384x64", .ctas = 132, .raster = "cutlass3:4"};
  CHECK(plan_of(words).units == 20);
  CHECK(prove_schedule(plan_of(words)).complete);
  words.emulation = Emulation::Cutlass3Grouped;
  const Plan s = plan_of(words);
  CHECK(s.units == 13);
  const ScheduleProof proof = prove_schedule(s);
  CHECK_FALSE(proof.complete);
  CHECK(proof.missing == std::vector<WorkTile>{{1, 1, 2, 0, 1}, {1, 2, 2, 0, 1}});
  CHECK(proof.missing_count == 2);
  CHECK(proof.duplicated_count == 0);
}

TEST_CASE("padded tiles run but count as no work") {
  const ScheduleReport r =
      report_schedule(plan_of({.problem = "1152x1152x64", .ctas = 132, .raster = "cutlass3:8"}));
  CHECK(r.units == 256);
  CHECK(r.padded == 256 - 81);
  CHECK(r.early_exit == 0);
  CHECK(r.proof.complete);
  const ScheduleReport split =
      report_schedule(plan_of({.problem = "1152x1152x64", .ctas = 132, .raster = "split-merge:8"}));
  CHECK(split.early_exit == 144 - 81);
  CHECK(split.padded == 0);
}

TEST_CASE("a million tiles of stream-K are proved tile by tile") {
  const ScheduleProof proof = prove_schedule(plan_of({.problem = "1000x1000x64",
                                                      .cta = "1x1x1",
                                                      .ctas = 132,
                                                      .raster = "swizzle-merge:8",
                                                      .decomposition = "stream-k"}));
  CHECK(proof.complete);
  CHECK(proof.wanted == 1'000'000);
}
