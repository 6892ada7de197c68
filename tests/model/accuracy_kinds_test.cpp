// The prices of block scales and epilogues against the held-out shapes of
// tests/data/kinds_h100.csv, drawn by support/kind_sample.hpp and timed on an H100 before the rates
// of promotion, scales and C were fitted to the other shapes.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "model/estimate.hpp"
#include "store/device_preset.hpp"
#include "support/kind_sample.hpp"
#include "support/model_accuracy.hpp"

namespace tilewright {
namespace {

using testing::ModelErrors;
using testing::RecordedShape;

std::vector<RecordedShape> all_shapes() {
  return testing::recorded_shapes(TILEWRIGHT_SOURCE_DIR "/tests/data/kinds_h100.csv");
}

TEST_CASE("recorded launches of block scales and epilogues are the sampled ones") {
  const std::vector<testing::KindShape> sampled = testing::kind_sample();
  const std::vector<RecordedShape> recorded = all_shapes();
  REQUIRE(recorded.size() == sampled.size());
  size_t rows = 0;
  for (size_t i = 0; i < recorded.size(); ++i) {
    CHECK(recorded[i].shape_class == sampled[i].kind->name);
    CHECK(recorded[i].held_out == sampled[i].held_out);
    for (const testing::Recorded& row : recorded[i].rows) {
      CHECK(row.problem.shape == sampled[i].problem.shape);
      const std::vector<TileConfig>& configs = sampled[i].configs;
      CHECK(std::find(configs.begin(), configs.end(), row.config) != configs.end());
    }
    rows += recorded[i].rows.size();
  }
  // A config with a kernel that spills registers is not timed.
  CHECK(rows + 1 >= sampled.size() * testing::kConfigsOfKind);
}

// Errors on the held-out shapes by kind, and of those with and without scales.
std::map<std::string, ModelErrors> held_out_errors() {
  const DeviceSpec device = load_device_preset("h100");
  const std::vector<testing::KindShape> sampled = testing::kind_sample();
  const std::vector<RecordedShape> recorded = all_shapes();
  REQUIRE(recorded.size() == sampled.size());
  std::map<std::string, ModelErrors> kinds;
  for (size_t i = 0; i < recorded.size(); ++i) {
    if (!recorded[i].held_out) continue;
    std::vector<double> predicted;
    std::vector<double> measured;
    for (const testing::Recorded& row : recorded[i].rows) {
      const Problem problem{row.problem.shape, sampled[i].problem.kind};
      predicted.push_back(estimate(problem, row.config, device).us);
      measured.push_back(row.numbers.at(0));
    }
    const bool scaled = !sampled[i].kind->scale_a.empty();
    testing::add_time_errors(predicted, measured, kinds[recorded[i].shape_class]);
    testing::add_time_errors(predicted, measured, kinds[scaled ? "all scaled" : "all epilogues"]);
  }
  return kinds;
}

TEST_CASE("held-out times of block scales and epilogues are near the recorded ones") {
  const std::map<std::string, ModelErrors> kinds = held_out_errors();
  const auto median = [&](const char* kind) {
    return testing::quantile(kinds.at(kind).times, 0.5);
  };
  for (const auto& [name, errors] : kinds) MESSAGE(testing::times_line(name, errors));
  // What the model shows; one that comes nearer lowers them.
  CHECK(median("block scales") < 0.111);
  CHECK(median("vector scales") < 0.147);
  CHECK(median("residual") < 0.109);
  CHECK(median("all epilogues") < 0.1);
}

}  // namespace
}  // namespace tilewright
