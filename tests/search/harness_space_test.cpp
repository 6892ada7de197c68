#include "search/harness_space.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"

using namespace tilewright;

TEST_CASE("with given values, combinations are counted over the other axes, however many") {
  HarnessDescription harness;
  harness.name = "wide";
  for (const char* const name : {"a", "b", "c", "d"}) {
    HarnessAxis& axis = harness.axes.emplace_back();
    axis.name = name;
    for (int64_t value = 1; value <= 100; ++value) axis.values.push_back(value);
  }
  harness.constraints = {parse_expression("c <= d")};
  const Workload workload{.shapes = {{64, 64, 64}}};
  CHECK_THROWS_AS(legal_configs(harness, workload), Error);
  const ForeignConfig first = first_legal(harness, workload, {{"c", 2}});
  CHECK(to_string(first.values) == "a=1,b=1,c=2,d=2");
  const std::vector<AxisValue> given = {{"b", 7}, {"a", 3}};
  const HarnessSpace space = legal_configs(harness, workload, given);
  CHECK(space.enumerated == 100 * 100);
  CHECK(space.legal.size() == 5050);
  for (const ForeignConfig& config : space.legal) {
    for (const AxisValue& value : given) {
      REQUIRE(std::find(config.values.begin(), config.values.end(), value) != config.values.end());
    }
  }
}
