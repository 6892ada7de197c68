#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "app/outcome.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

using testing::Outcome;

Outcome run(const NestedOptions& options) {
  return testing::outcome_of(
      [&](Console& console) { return run_analyze_nested(options, console); });
}

NestedOptions example() {
  NestedOptions options;
  options.text =
      "#iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 4], "
      "outer_tile = [1, 1], thread_tile = [16, 4], element_tile = [1, 4], "
      "subgroup_strides = [1, 0], thread_strides = [1, 16]>";
  return options;
}

TEST_CASE("the JSON has the contract's keys") {
  NestedOptions options = example();
  options.thread = 16;
  options.format = Format::Json;
  const auto json = nlohmann::json::parse(run(options).out);
  CHECK(json["vector_shape"] == nlohmann::json{64, 64});
  CHECK(json["distributed_shape"] == nlohmann::json{2, 4, 1, 1, 1, 4});
  CHECK(json["per_thread_shape"] == nlohmann::json{2, 16});
  CHECK(json["subgroup_ids"] == nlohmann::json{0, 1});
  CHECK(json["thread_ids"][1] == 16);
  CHECK(json["virtual_thread"] == nlohmann::json{0, 1});
  CHECK(json["elements"].size() == 32);
  CHECK(json["elements"][0] == nlohmann::json{0, 4});
  CHECK(json["lint"].empty());
}

TEST_CASE("text, picture and checks") {
  NestedOptions options = example();
  options.thread = 16;
  options.show = true;
  options.checks = {"uncovered==0", "elements_per_thread==32"};
  const Outcome outcome = run(options);
  CHECK(outcome.code == ExitCode::Good);
  CHECK(outcome.out.find("at [0, 1] of subgroup [0, 0]") != std::string::npos);
  CHECK(outcome.out.find("   0    0    0    0   16") != std::string::npos);
  options.subgroups = 1;
  CHECK(run(options).code == ExitCode::No);
}

TEST_CASE("bad requests are usage errors") {
  NestedOptions shape = example();
  shape.shape = "64x32";
  NestedOptions thread = example();
  thread.thread = 128;
  NestedOptions text;
  text.text = "nonsense";
  for (const NestedOptions& options : {shape, thread, text}) {
    const Outcome outcome = run(options);
    CHECK(outcome.code == ExitCode::Usage);
    CHECK(outcome.out.empty());
    CHECK(!outcome.err.empty());
  }
}

}  // namespace
}  // namespace tilewright
