#include "store/dispatch.hpp"

#include <doctest/doctest.h>

#include <string>

#include "search/rank.hpp"
#include "support/devices.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

Artefact tuned() {
  return load_best(std::string(TILEWRIGHT_SOURCE_DIR) + "/presets/tuned/h200-dense.yaml");
}

double predicted_us(const Workload& problem, const TileConfig& config) {
  return estimate(make_plan(problem, config, testing::h200()), testing::h200()).us;
}

TEST_CASE(
    "of the kind's winners the fastest predicted one answers, unless the model's is far ahead") {
  const Artefact artefact = tuned();
  const DeviceSpec device = testing::h200();
  const Workload problems[] = {
      workload_of({.shape = {640, 768, 1024}}),
      workload_of({.shape = {96, 1024, 512}, .layout = MatrixLayout::NN}),
  };
  for (const Workload& problem : problems) {
    const auto answer = dispatch(artefact, problem, device);
    REQUIRE(answer.has_value());
    REQUIRE(answer->predicted_regret.has_value());
    CHECK(answer->entry.problem == problem);
    CHECK(!reject_workload(problem, answer->entry.choice, device));
    CHECK(*answer->predicted_regret <= kMostRegret);
    const double own = predicted_us(problem, answer->entry.choice);
    const double model = predicted_us(problem, complete_config({}, problem, device));
    CHECK(own / model - 1 == doctest::Approx(*answer->predicted_regret));
    if (answer->source == Source::Fallback) CHECK(own == model);
    bool is_a_winner = false;
    for (const TuneEntry& entry : artefact.entries) {
      if (entry.problem.layout != problem.layout) continue;
      if (reject_workload(problem, entry.choice, device)) continue;
      const double us = predicted_us(problem, entry.choice);
      if (answer->source == Source::Dispatched) CHECK(own <= us);
      if (answer->source == Source::Fallback) CHECK(us > model * (1 + kMostRegret));
      is_a_winner = is_a_winner || entry.choice == answer->entry.choice;
    }
    if (answer->source == Source::Dispatched) CHECK(is_a_winner);
  }
}

TEST_CASE("without a winner of the kind the model answers; groups and triangles have no answer") {
  const DeviceSpec device = testing::h200();
  const Workload other = workload_of({.shape = {512, 512, 512}, .dtype = DataType::F16});
  const auto answer = dispatch(tuned(), other, device);
  REQUIRE(answer.has_value());
  CHECK(answer->source == Source::Fallback);
  CHECK(*answer->predicted_regret == 0);
  CHECK(answer->entry.choice == complete_config({}, other, device));
  Workload group = other;
  group.shapes.push_back({64, 512, 512});
  CHECK(!dispatch(tuned(), group, device));
  Workload triangle = other;
  triangle.op = MatrixOp::Syrk;
  CHECK(!dispatch(tuned(), triangle, device));
}

TEST_CASE("an artefact's device is the preset of its architecture, or unknown") {
  Artefact artefact = tuned();
  REQUIRE(device_of(artefact).has_value());
  CHECK(device_of(artefact)->name == "h200");
  artefact.device.sm_count = 131;
  CHECK(!device_of(artefact));
}

}  // namespace
}  // namespace tilewright
