// The prices of block scales and epilogues against the held-out shapes of
// tests/data/kinds_h200.csv, which were timed on an H200 after the rates were fitted and the rules
// written; those of block scales against tuned configs, too.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "model/estimate.hpp"
#include "store/best_table.hpp"
#include "store/device_preset.hpp"
#include "store/preset_path.hpp"
#include "support/kind_sample.hpp"
#include "support/model_accuracy.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

using testing::ModelErrors;
using testing::RecordedShape;

double median_of(const std::vector<double>& errors) {
  return testing::quantile(errors, 0.5);
}

// Errors on the held-out shapes by kind, and of all epilogues and all scales.
std::map<std::string, ModelErrors> held_out_errors() {
  const DeviceSpec device = load_device_preset("h200");
  std::map<std::string, ModelErrors> kinds;
  for (const RecordedShape& shape :
       testing::recorded_shapes(TILEWRIGHT_SOURCE_DIR "/tests/data/kinds_h200.csv")) {
    if (!shape.held_out) continue;
    std::vector<double> predicted;
    std::vector<double> measured;
    const testing::RecordedKind& recorded = testing::recorded_kind(shape.shape_class);
    const ProductKind kind = testing::kind_of(recorded);
    const char* const whole = recorded.scale_a.empty() ? "epilogues" : "scales";
    for (const testing::Recorded& row : shape.rows) {
      predicted.push_back(estimate(Problem{row.problem.shape, kind}, row.config, device).us);
      measured.push_back(row.numbers.at(0));
    }
    testing::add_time_errors(predicted, measured, kinds[shape.shape_class]);
    testing::add_time_errors(predicted, measured, kinds[whole]);
  }
  return kinds;
}

TEST_CASE("held-out times of epilogues and scales are near the recorded ones") {
  const std::map<std::string, ModelErrors> kinds = held_out_errors();
  for (const auto& [name, errors] : kinds) MESSAGE(testing::times_line(name, errors));
  CHECK(kinds.at("epilogues").times.size() == 80);
  CHECK(kinds.at("scales").times.size() == 80);
  // What the model shows; one that comes nearer lowers them.
  CHECK(median_of(kinds.at("epilogues").times) < 0.07);
  CHECK(median_of(kinds.at("scales").times) < 0.07);
}

// The rates of promotion were fitted to every other product of the file, from the first on.
TEST_CASE("times of tuned block scales are near the measured ones") {
  const DeviceSpec device = load_device_preset("h100");
  const Artefact tuned = load_best((presets_folder() / "tuned" / "h100-fp8-blocks.yaml").string());
  std::vector<double> fitted;
  std::vector<double> others;
  for (size_t i = 0; i < tuned.entries.size(); ++i) {
    const TuneEntry& entry = tuned.entries[i];
    REQUIRE(entry.timing);
    const double predicted = estimate(make_plan(entry.problem, entry.choice, device), device).us;
    const double error = testing::off(predicted, entry.timing->median_us);
    (i % 2 == 0 ? fitted : others).push_back(error);
  }
  MESSAGE("median of the fitted ones ", median_of(fitted), ", of the others ", median_of(others));
  CHECK(median_of(others) < 0.05);
}

}  // namespace
}  // namespace tilewright
