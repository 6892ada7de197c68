// The prices of epilogues against recorded launches: the held-out shapes of
// tests/data/kinds_h100.csv, which were looked at when the rules and rates were final, and
// tests/data/kinds_h200.csv, by which the rules were found; those of block scales against
// tests/data/scales_h100.csv and tuned configs.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "model/estimate.hpp"
#include "store/best_table.hpp"
#include "store/device_preset.hpp"
#include "store/preset_path.hpp"
#include "support/kind_sample.hpp"
#include "support/model_accuracy.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

using testing::median_of;
using testing::ModelErrors;
using testing::RecordedShape;

// Errors on the launches of tests/data/FILE_NAME.csv by kind, and of all; on the held-out shapes
// alone, or on all.
std::map<std::string, ModelErrors> errors_on(const std::string& file, const std::string& name,
                                             bool held_out) {
  const DeviceSpec device = load_device_preset(name);
  std::vector<RecordedShape> shapes =
      testing::recorded_shapes(format(TILEWRIGHT_SOURCE_DIR "/tests/data/{}_{}.csv", file, name));
  if (held_out) std::erase_if(shapes, [](const RecordedShape& shape) { return !shape.held_out; });
  const auto kinds = testing::time_errors_by_class(
      shapes, [&](const RecordedShape& shape, const testing::Recorded& row) {
        const ProductKind kind = testing::kind_of(testing::recorded_kind(shape.shape_class));
        return estimate(Problem{row.problem.shape, kind}, row.config, device).us;
      });
  for (const auto& [kind, errors] : kinds) MESSAGE(name, ": ", testing::times_line(kind, errors));
  return kinds;
}

TEST_CASE("recorded times of epilogues are near the predicted ones") {
  // What the model shows; one that comes nearer lowers them.
  const std::map<std::string, ModelErrors> held_out = errors_on("kinds", "h100", true);
  CHECK(held_out.at("all").times.size() == 80);
  CHECK(median_of(held_out.at("all").times) < 0.07);
  CHECK(median_of(held_out.at("residual").times) < 0.055);
  const std::map<std::string, ModelErrors> seen = errors_on("kinds", "h200", false);
  CHECK(seen.at("all").times.size() == 120);
  CHECK(median_of(seen.at("all").times) < 0.065);
}

TEST_CASE("recorded times of block scales are near the predicted ones") {
  const std::map<std::string, ModelErrors> held_out = errors_on("scales", "h100", true);
  CHECK(held_out.at("all").times.size() == 80);
  CHECK(median_of(held_out.at("all").times) < 0.07);
  CHECK(median_of(held_out.at("block scales").times) < 0.072);
  CHECK(median_of(held_out.at("vector scales").times) < 0.06);
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
  CHECK(median_of(others) < 0.032);
}

}  // namespace
}  // namespace tilewright
