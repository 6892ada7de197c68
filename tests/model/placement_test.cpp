#include "model/placement.hpp"

#include <doctest/doctest.h>

#include <map>

#include "support/devices.hpp"

namespace tilewright {
namespace {

TEST_CASE("placements are in known GPCs, partitions about equally full, paces about 1") {
  DeviceSpec d = testing::h200();
  for (const int sms : {132, 108, 114, 8, 1}) {
    for (const int cluster : {1, 2, 8}) {
      d.sm_count = sms;
      const int64_t count = std::max(sms / cluster, 1);
      const std::vector<Placement> all = placements(d, count, cluster);
      REQUIRE(all.size() == static_cast<size_t>(count));
      int far = 0;
      for (const Placement& placement : all) {
        CHECK(placement.gpc >= 0);
        CHECK(placement.gpc < kGpcCount);
        CHECK(placement.relative_time == doctest::Approx(1).epsilon(0.01));
        far += placement.partition;
      }
      if (count >= 54)
        CHECK(static_cast<double>(far) / static_cast<double>(count) ==
              doctest::Approx(0.5).epsilon(0.1));
    }
  }
}

TEST_CASE("a GPC has one partition; lone CTAs fill GPCs, clusters are spread evenly") {
  const DeviceSpec d = testing::h200();
  std::map<int, int> sides;
  for (const Placement& placement : placements(d, 132, 1)) {
    CHECK(sides.try_emplace(placement.gpc, placement.partition).first->second ==
          placement.partition);
  }
  CHECK(sides.size() == kGpcCount);
  const std::vector<Placement> lone = placements(d, 132, 1);
  CHECK(lone[8].gpc == lone[25].gpc);
  std::map<int, int> clusters;
  for (const Placement& placement : placements(d, 66, 2)) ++clusters[placement.gpc];
  for (const auto& group : clusters) CHECK((group.second == 8 || group.second == 9));
  CHECK(placements(d, 66, 2) == placements(d, 66, 2));
}

TEST_CASE("an L2 without partitions has one partition") {
  DeviceSpec d = testing::h200();
  d.l2.partitions = 1;
  for (const Placement& placement : placements(d, 128, 1)) CHECK(placement.partition == 0);
}

}  // namespace
}  // namespace tilewright
