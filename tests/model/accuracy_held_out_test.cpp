// The model against shapes that no constant was fitted to: the held-out shapes of
// tests/data/model_h200.csv, 14 of seven classes with 44 random legal configs each, drawn by
// support/model_sample.hpp, timed and counted on an H200 by tests/record/record before the
// constants were fitted, and not looked at until the constants were final. The sm90 family's
// constants were fitted to the first 42 of the other shapes, and to six spaces of small products
// (tests/search/strategy_recorded_test.cpp).
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/accuracy.hpp"
#include "model/estimate.hpp"
#include "store/device_preset.hpp"
#include "support/devices.hpp"
#include "support/model_accuracy.hpp"
#include "support/model_sample.hpp"

namespace tilewright {
namespace {

using testing::ModelErrors;
using testing::RecordedShape;

std::vector<RecordedShape> all_shapes() {
  return testing::recorded_shapes(TILEWRIGHT_SOURCE_DIR "/tests/data/model_h200.csv");
}

std::vector<Estimate> predict(const RecordedShape& shape) {
  std::vector<Estimate> predicted;
  for (const testing::Recorded& row : shape.rows) {
    predicted.push_back(estimate(row.problem, row.config, testing::h200()));
  }
  return predicted;
}

TEST_CASE("recorded shapes equal the sampled ones, held-out ones included; configs differ") {
  std::vector<testing::SampledShape> sampled = testing::ModelSample(testing::kFitSeed).shapes();
  for (const uint64_t seed : testing::kSeenSeeds) {
    for (const testing::SampledShape& shape : testing::ModelSample(seed).shapes()) {
      if (shape.held_out) sampled.push_back(shape);
    }
  }
  for (testing::SampledShape& shape : sampled) shape.held_out = false;
  for (const testing::SampledShape& shape : testing::ModelSample(testing::kModelSeed).shapes()) {
    if (shape.held_out) sampled.push_back(shape);
  }
  const std::vector<RecordedShape> recorded = all_shapes();
  REQUIRE(recorded.size() == sampled.size());
  for (size_t i = 0; i < recorded.size(); ++i) {
    CHECK(recorded[i].shape_class == sampled[i].shape_class);
    CHECK(recorded[i].held_out == sampled[i].held_out);
    // A config with a kernel that spills registers is not timed.
    REQUIRE(recorded[i].rows.size() + 1 >= testing::kConfigsOfShape);
    std::set<std::string> configs;
    for (const testing::Recorded& row : recorded[i].rows) {
      CHECK(row.problem.shape == sampled[i].shape);
      configs.insert(to_string(row.config));
    }
    CHECK(configs.size() == recorded[i].rows.size());
  }
}

TEST_CASE("a sample is the same for the same seed, and legal") {
  const GemmShape shape{2048, 2048, 2048};
  const std::vector<TileConfig> configs = testing::ModelSample(7).configs(shape);
  CHECK(configs == testing::ModelSample(7).configs(shape));
  CHECK(configs != testing::ModelSample(8).configs(shape));
  for (const TileConfig& config : configs) {
    CHECK(!reject_config({shape, {DataType::BF16}}, config, testing::h200()));
  }
}

TEST_CASE("held-out times, orders and DRAM traffic are near the recorded ones") {
  ModelErrors all;
  std::map<std::string, ModelErrors> classes;
  for (const RecordedShape& shape : all_shapes()) {
    if (!shape.held_out) continue;
    const std::vector<Estimate> predicted = predict(shape);
    testing::add_errors(shape, predicted, all);
    testing::add_errors(shape, predicted, classes[shape.shape_class]);
  }
  for (const auto& one : classes) MESSAGE(testing::accuracy_line(one.first, one.second));
  MESSAGE(testing::accuracy_line("all", all));
  REQUIRE(classes.size() == kAccuracy.size());
  for (const Accuracy& row : kAccuracy) {
    CAPTURE(row.shape_class);
    const ModelErrors& of_class = classes.at(std::string(row.shape_class));
    const auto percent = [](const std::vector<double>& errors, double share) {
      return 100 * testing::quantile(errors, share);
    };
    constexpr double kRounding = 0.0501;
    CHECK(std::abs(percent(of_class.times, 0.5) - row.time_median_pct) < kRounding);
    CHECK(std::abs(percent(of_class.times, 0.9) - row.time_most_pct) < kRounding);
    CHECK(std::abs(percent(of_class.reads, 0.5) - row.reads_median_pct) < kRounding);
    CHECK(std::abs(percent(of_class.reads, 0.9) - row.reads_most_pct) < kRounding);
    CHECK(std::abs(testing::mean(of_class.rank_correlations) - row.order) < 0.000501);
  }
  REQUIRE(all.times.size() == 14 * testing::kConfigsOfShape - 1);
  MESSAGE("first choice: " << 1 / testing::geometric(all.regret_of_best) << ", at worst "
                           << 1 / testing::quantile(all.regret_of_best, 1));
  CHECK(std::abs(1 / testing::geometric(all.regret_of_best) - kFirstChoice.mean) < 0.000501);
  CHECK(std::abs(1 / testing::quantile(all.regret_of_best, 1) - kFirstChoice.least) < 0.000501);
  // What the model shows; one that comes nearer lowers them.
  CHECK(testing::mean(all.rank_correlations) > 0.96);
  CHECK(testing::geometric(all.regret_of_best) < 1.027);
  CHECK(testing::geometric(all.regret_of_top8) < 1.001);
  CHECK(testing::quantile(all.times, 0.5) < 0.0515);
  CHECK(testing::quantile(all.times, 0.9) < 0.175);
  CHECK(testing::quantile(all.reads, 0.5) < 0.012);
  CHECK(testing::quantile(all.reads, 0.9) < 0.22);
  CHECK(testing::quantile(all.writes, 0.5) < 0.002);
  CHECK(testing::quantile(all.writes, 0.9) < 0.07);
}

// Products of random sizes; rates of the device were fitted to others of them, among others.
TEST_CASE("times of random products that no rate was fitted to are near the recorded ones") {
  struct Recording {
    const char* device;
    const char* file;
    const char* hardest;  // class of products
    size_t products;
    // What the model shows; one that comes nearer lowers them.
    double median;
    double nine_in_ten;
    double first_choice;  // its time over the fastest
    double hardest_median;
  };
  for (const Recording& r :
       {Recording{"h100", "random_h100.csv", "unaligned", 60, 0.041, 0.125, 1.03, 0.051},
        Recording{"h100", "few_rows_h100.csv", "1 to 16 rows", 22, 0.053, 0.155, 1.039, 0.057},
        Recording{"h200", "random_h200.csv", "any rows", 54, 0.055, 0.15, 1.05, 0.055}}) {
    CAPTURE(r.file);
    const DeviceSpec device = load_device_preset(r.device);
    std::vector<RecordedShape> shapes =
        testing::recorded_shapes(format("{}/tests/data/{}", TILEWRIGHT_SOURCE_DIR, r.file));
    std::erase_if(shapes, [](const RecordedShape& shape) { return !shape.held_out; });
    const auto classes = testing::time_errors_by_class(
        shapes, [&](const RecordedShape&, const testing::Recorded& row) {
          return estimate(row.problem, row.config, device).us;
        });
    for (const auto& [name, errors] : classes) MESSAGE(testing::times_line(name, errors));
    const ModelErrors& all = classes.at("all");
    CHECK(all.regret_of_best.size() == r.products);
    CHECK(testing::quantile(all.times, 0.5) < r.median);
    CHECK(testing::quantile(all.times, 0.9) < r.nine_in_ten);
    CHECK(testing::geometric(all.regret_of_best) < r.first_choice);
    CHECK(testing::quantile(classes.at(r.hardest).times, 0.5) < r.hardest_median);
  }
}

TEST_CASE("golden: costs of choices and rank correlations, computed by hand") {
  const std::vector<double> measured = {5, 4, 8, 2};
  CHECK(testing::regret_of({1, 2, 3, 4}, measured, 1) == 2.5);
  CHECK(testing::regret_of({1, 2, 3, 4}, measured, 2) == 2);
  CHECK(testing::regret_of({1, 2, 3, 4}, measured, 8) == 1);
  CHECK(testing::rank_correlation({1, 5, 7, 9}, {10, 20, 30, 31}) == doctest::Approx(1));
  CHECK(testing::rank_correlation({1, 5, 7, 9}, {9, 7, 5, 1}) == doctest::Approx(-1));
}

}  // namespace
}  // namespace tilewright
