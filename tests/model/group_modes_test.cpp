#include "model/group_modes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "stats/random.hpp"
#include "support/plans.hpp"

namespace tilewright {
namespace {

constexpr const char* kModes[] = {"device-only", "host-precompute", "dynamic"};

TEST_CASE("each group mode has its own plan's time, and no legal mode beats the advised one") {
  Random random(31);
  for (int i = 0; i < 40; ++i) {
    std::string problems;
    for (size_t p = 0; p < 2 + random.below(i % 2 == 0 ? 6 : 60); ++p) {
      problems += format("{}{}x{}x{}", p == 0 ? "" : ",", 128 * (1 + random.below(8)),
                         128 * (1 + random.below(6)), 64 * (1 + random.below(40)));
    }
    testing::PlanWords words{.problem = problems, .ctas = 132};
    words.order = i % 3 == 0 ? "lpt" : "given";
    words.decomposition = i % 5 == 0 ? "split-k:2" : "data-parallel";
    words.group_schedule = kModes[i % 3];
    CAPTURE(problems);
    const DeviceSpec device = testing::h200();
    const GroupModes compared = compare_group_modes(testing::plan_of(words), device);
    REQUIRE(compared.modes.size() == 3);
    double advised_us = 0;
    double least_us = 1e9;
    bool advised_runs = false;
    bool any_runs = false;
    for (size_t mode = 0; mode < 3; ++mode) {
      words.group_schedule = kModes[mode];
      const Plan plan = testing::plan_of(words);
      const GroupMode& found = compared.modes[mode];
      CHECK(to_string(found.schedule) == kModes[mode]);
      CHECK(found.predicted.us == estimate(plan, device).us);
      const bool runs = !reject_plan(plan, device);
      CHECK(found.not_runnable.empty() == runs);
      any_runs |= runs;
      if (runs) least_us = std::min(least_us, found.predicted.us);
      if (found.schedule != compared.advised) continue;
      advised_us = found.predicted.us;
      advised_runs = runs;
    }
    CHECK(advised_runs == any_runs);
    if (any_runs) CHECK(advised_us <= least_us * (1 + kTimeResolution));
  }
}

TEST_CASE("many small problems get the host's table, large ones the device's search") {
  const auto advised = [](const std::string& problems) {
    return compare_group_modes(testing::plan_of({.problem = problems, .ctas = 132}),
                               testing::h200())
        .advised;
  };
  std::string small = "64x128x64";
  for (int i = 1; i < 2000; ++i) small += ",64x128x64";
  CHECK(advised(small) == GroupSchedule::HostPrecompute);
  CHECK(advised("4096x4096x8192,4096x4096x8192") == GroupSchedule::DeviceOnly);
}

}  // namespace
}  // namespace tilewright
