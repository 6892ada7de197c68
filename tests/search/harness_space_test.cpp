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

TEST_CASE("a product without what the harness needs is refused by its word") {
  HarnessDescription harness;
  harness.name = "scaled";
  harness.takes = {.ops = {"gemm"},
                   .dtypes = {"e4m3"},
                   .out_dtypes = {"bf16"},
                   .layouts = {"tn"},
                   .epilogue = {"scale_a=block:1x128@k", "scale_b=block:128x128", "bias"},
                   .needs = {"scale_a=block:1x128@k", "scale_b=block:128x128"}};
  const auto why = [&](OperandScale scale_a, OperandScale scale_b) {
    Workload workload{.kind = {.dtype = DataType::E4M3}, .shapes = {{64, 64, 64}}};
    workload.kind.epilogue.scale_a = scale_a;
    workload.kind.epilogue.scale_b = scale_b;
    return why_not_taken(harness, workload);
  };
  CHECK(why(OperandScale::VectorAlongK, OperandScale::Block) == "");
  CHECK(why(OperandScale::None, OperandScale::Block) ==
        "harness scaled computes products with epilogue scale_a=block:1x128@k only, and the "
        "problem has none");
  CHECK(why(OperandScale::VectorAlongK, OperandScale::None).find("scale_b=block:128x128 only") !=
        std::string::npos);
  CHECK(why(OperandScale::Vector, OperandScale::Block).find("takes epilogue") != std::string::npos);
}

TEST_CASE("the scales among words of an epilogue are those that the words spell") {
  CHECK(scales_among({"bias", "relu"}) == Epilogue{});
  const Epilogue both = scales_among({"alpha", "scale_b=block:128x128", "scale_a=block:1x128@k"});
  CHECK(both.scale_a == OperandScale::VectorAlongK);
  CHECK(both.scale_b == OperandScale::Block);
  CHECK(scales_among({"scale_a"}).scale_a == OperandScale::Tensor);
  CHECK_THROWS_AS(scales_among({"scale_a=block:128x128"}), Error);
}
