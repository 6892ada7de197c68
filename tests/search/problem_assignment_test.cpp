#include "search/problem_assignment.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "stats/random.hpp"
#include "support/devices.hpp"

namespace tilewright {
namespace {

std::vector<double> loads(const std::vector<double>& seconds, const std::vector<int64_t>& owners,
                          int64_t tuner_count) {
  std::vector<double> load(static_cast<size_t>(tuner_count));
  for (size_t i = 0; i < seconds.size(); ++i) load.at(static_cast<size_t>(owners[i])) += seconds[i];
  return load;
}

TEST_CASE("each problem has one owner; loads differ by at most an owner's shortest problem") {
  Random random(1);
  for (int64_t tuner_count = 1; tuner_count <= 9; ++tuner_count) {
    for (size_t count = 0; count < 40; ++count) {
      std::vector<double> seconds(count);
      for (double& s : seconds) s = 1 + 30 * random.uniform() * random.uniform();
      const std::vector<int64_t> owners = assign_problems(seconds, tuner_count);
      REQUIRE(owners.size() == count);
      CHECK(assign_problems(seconds, tuner_count) == owners);
      const std::vector<double> load = loads(seconds, owners, tuner_count);
      // Its shortest problem was assigned to it last, when it had the least.
      for (int64_t t = 0; t < tuner_count; ++t) {
        double last = 0;
        for (size_t i = 0; i < count; ++i) {
          if (owners[i] == t) last = last == 0 ? seconds[i] : std::min(last, seconds[i]);
        }
        const double before = load[static_cast<size_t>(t)] - last;
        for (const double other : load) CHECK(before <= other + 1e-9);
      }
    }
  }
}

TEST_CASE("the longest problems come first, equal ones in the given order") {
  CHECK(longest_first(std::vector<double>{1, 3, 2, 3, 1}) == std::vector<size_t>{1, 3, 2, 0, 4});
  CHECK(assign_problems(std::vector<double>{5, 5, 5, 5}, 2) == std::vector<int64_t>{0, 1, 0, 1});
  CHECK(assign_problems(std::vector<double>{4, 3, 3, 2}, 2) == std::vector<int64_t>{0, 1, 1, 0});
}

TEST_CASE("a problem that runs longer is predicted to tune longer") {
  const DeviceSpec device = testing::h200();
  double before = 0;
  for (const int64_t size : {256, 1024, 4096, 16384}) {
    const double now = tuning_seconds(workload_of({.shape = {size, size, size}}), device);
    CHECK(now > before);
    before = now;
  }
}

}  // namespace
}  // namespace tilewright
