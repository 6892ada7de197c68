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

TEST_CASE("parts of an epilogue that the interface lacks are refused by name, whatever is listed") {
  HarnessDescription harness;
  harness.name = "all";
  harness.takes = {
      .ops = {"gemm"},
      .dtypes = {"bf16"},
      .out_dtypes = {"bf16", "e4m3"},
      .layouts = {"tn"},
      .epilogue = {"bias", "row-bias", "swiglu", "swiglu@stacked", "scale_d", "absmax"}};
  const auto why = [&](const Epilogue& epilogue) {
    return why_not_taken(harness, {.kind = {.epilogue = epilogue}, .shapes = {{64, 64, 64}}});
  };
  CHECK(why({}) == "");
  CHECK(why({.bias = true, .activation = Activation::Swiglu}) == "");
  const std::pair<Epilogue, const char*> lacking[] = {
      {{.row_bias = true}, "row-bias"},
      {{.activation = Activation::Swiglu, .stacked = true}, "@stacked"},
      {{.scale_d = true}, "scale_d"},
      {{.absmax = true}, "absmax"},
      {{.out_dtype = DataType::E4M3}, "D of e4m3"}};
  for (const auto& [epilogue, word] : lacking) {
    CHECK(why(epilogue) == std::string("harness all: the interface of harnesses has no ") + word);
  }
}
