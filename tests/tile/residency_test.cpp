#include "tile/plan/residency.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/text.hpp"
#include "support/devices.hpp"
#include "support/error_message.hpp"
#include "support/sm90_configs.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

// An H200 with fewer multiprocessors: an H20, an H100 PCIe, slices of a GPU.
DeviceSpec part_of_h200(int sm_count) {
  DeviceSpec device = testing::h200();
  device.sm_count = sm_count;
  return device;
}

int64_t resident_on(const DeviceSpec& device, const Plan& plan) {
  const auto size = static_cast<int>(plan.cluster_size);
  return device.sm_count < size ? 0 : resident_clusters(device, size) * size;
}

// The legality rules judge a plan on the device that it was made for; residency judges it on
// another.
TEST_CASE("an H200's plan is resident on a part of it where the part's own rules allow it") {
  int runs = 0;
  int waits = 0;
  for (const int sm_count : {4, 16, 78, 114, 132}) {
    const DeviceSpec part = part_of_h200(sm_count);
    for (const char* const reduction : {"reduce-scatter", "serial", "workspace", "in-place"}) {
      for (const int slices : {2, 3, 7, 16, 17, 60, 78, 79, 114, 115, 132}) {
        for (const char* const cluster : {"1x1", "2x1", "4x2"}) {
          const TileConfig config =
              testing::sm90_config(format("cta=64x128x64,cluster={},decomposition=split-k:{}:{}",
                                          cluster, slices, reduction),
                                   4);
          const Problem problem{{256, 256, 16384}, {}};
          if (reject_config(problem, config, testing::h200())) continue;
          const Plan plan = make_plan(problem, config, testing::h200());
          const std::string why = why_not_resident(plan, resident_on(part, plan));
          CAPTURE(sm_count);
          CAPTURE(to_string(config));
          CAPTURE(why);
          const auto rejection = reject_config(problem, config, part);
          CHECK(why.empty() == !rejection.has_value());
          ++(why.empty() ? runs : waits);
        }
      }
    }
  }
  CHECK(runs > 50);
  CHECK(waits > 20);
}

TEST_CASE("an H200 holds 66 clusters of two, fewer than 32 of four, and 15 of eight") {
  CHECK(resident_clusters(testing::h200(), 2) == 66);  // measured, as the others
  CHECK(resident_clusters(testing::h200(), 4) < 32);
  CHECK(resident_clusters(testing::h200(), 8) == 15);
}

TEST_CASE("a cluster that a device does not hold is not resident, with the reason") {
  const TileConfig config = testing::sm90_config("cta=128x128x64,cluster=2x2", 4);
  const Plan plan = make_plan(Problem{{1024, 1024, 1024}, {}}, config, testing::h200());
  CHECK(why_not_resident(plan, 4).empty());
  CHECK(testing::contains(why_not_resident(plan, 3), "cannot hold a cluster of 4"));
  const TileConfig alone = testing::sm90_config("cta=128x128x64", 4);
  const Plan single = make_plan(Problem{{1024, 1024, 1024}, {}}, alone, testing::h200());
  CHECK(testing::contains(why_not_resident(single, 0), "cannot hold a CTA"));
}

TEST_CASE("a plan that needs no co-resident CTAs runs on any part of a device") {
  for (const char* const decomposition :
       {"data-parallel", "stream-k:two-tile:serial", "stream-k:all:atomic"}) {
    const TileConfig config =
        testing::sm90_config(std::string("cta=128x96x64,decomposition=") + decomposition, 4);
    const Plan plan = make_plan(Problem{{2048, 2048, 2048}, {}}, config, testing::h200());
    for (const int64_t resident : {1, 16, 78, 114}) {
      CAPTURE(decomposition);
      CHECK(why_not_resident(plan, resident).empty());
    }
  }
}

}  // namespace
}  // namespace tilewright
