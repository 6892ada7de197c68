#include "model/placement.hpp"

#include <doctest/doctest.h>

#include <map>

#include "support/devices.hpp"

namespace tilewright {
namespace {

TEST_CASE("every seat is of a known group, both sides are about as full, paces are about one") {
  DeviceSpec d = testing::h200();
  for (const int sms : {132, 108, 114, 8, 1}) {
    for (const int cluster : {1, 2}) {
      d.sm_count = sms;
      const int64_t count = std::max(sms / cluster, 1);
      const std::vector<Seat> all = seats(d, count, cluster);
      REQUIRE(all.size() == static_cast<size_t>(count));
      int far = 0;
      for (const Seat& seat : all) {
        CHECK(seat.group >= 0);
        CHECK(seat.group < kGroupCount);
        CHECK(seat.pace == doctest::Approx(1).epsilon(0.01));
        far += seat.partition;
      }
      if (count >= 54)
        CHECK(static_cast<double>(far) / static_cast<double>(count) ==
              doctest::Approx(0.5).epsilon(0.1));
    }
  }
}

TEST_CASE("a group is of one side; lone CTAs fill groups, clusters are scattered evenly") {
  const DeviceSpec d = testing::h200();
  std::map<int, int> sides;
  for (const Seat& seat : seats(d, 132, 1)) {
    CHECK(sides.try_emplace(seat.group, seat.partition).first->second == seat.partition);
  }
  CHECK(sides.size() == kGroupCount);
  const std::vector<Seat> lone = seats(d, 132, 1);
  CHECK(lone[8].group == lone[25].group);
  std::map<int, int> clusters;
  for (const Seat& seat : seats(d, 66, 2)) ++clusters[seat.group];
  for (const auto& group : clusters) CHECK((group.second == 8 || group.second == 9));
  CHECK(seats(d, 66, 2) == seats(d, 66, 2));
}

TEST_CASE("a cache in one piece has one side") {
  DeviceSpec d = testing::h200();
  d.compute_major = 8;
  d.compute_minor = 9;
  for (const Seat& seat : seats(d, 128, 1)) CHECK(seat.partition == 0);
}

}  // namespace
}  // namespace tilewright
