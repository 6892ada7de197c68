#include "store/dispatch.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "answer/bucket_division.hpp"
#include "base/text.hpp"
#include "search/complete.hpp"
#include "search/rank.hpp"
#include "support/devices.hpp"
#include "support/error_message.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

using testing::contains;

Artefact landed() {
  return load_best(std::string(TILEWRIGHT_SOURCE_DIR) + "/presets/tuned/h200-dense.yaml");
}

// Without the measured ranges, because each test makes its own.
Artefact tuned() {
  Artefact artefact = landed();
  artefact.trials.clear();
  artefact.buckets.clear();
  return artefact;
}

double predicted_us(const Workload& problem, const TileConfig& config) {
  return estimate(make_plan(problem, config, testing::h200()), testing::h200()).us;
}

TEST_CASE("the winner predicted fastest answers, unless the model's choice is far ahead") {
  const Artefact artefact = tuned();
  const DeviceSpec device = testing::h200();
  const Workload problems[] = {
      workload_of({.shape = {640, 768, 1024}}),
      workload_of({.shape = {96, 1024, 512}, .kind = {.layout = MatrixLayout::NN}}),
  };
  for (const Workload& problem : problems) {
    const auto answer = dispatch(artefact, problem, device);
    REQUIRE(answer.has_value());
    REQUIRE(answer->predicted_regret.has_value());
    CHECK(answer->entry.problem == problem);
    CHECK(!reject_workload(problem, answer->entry.choice, device));
    CHECK(*answer->predicted_regret <= kMaxPredictedRegret);
    const double own = predicted_us(problem, answer->entry.choice);
    const double model = predicted_us(problem, complete_config({}, problem, device));
    CHECK(own / model - 1 == doctest::Approx(*answer->predicted_regret));
    if (answer->source == DispatchSource::Fallback) CHECK(own == model);
    bool is_a_winner = false;
    for (const TuneEntry& entry : artefact.entries) {
      if (entry.problem.kind.layout != problem.kind.layout) continue;
      if (reject_workload(problem, entry.choice, device)) continue;
      const double us = predicted_us(problem, entry.choice);
      if (answer->source == DispatchSource::Dispatched) CHECK(own <= us);
      if (answer->source == DispatchSource::Fallback) CHECK(us > model * (1 + kMaxPredictedRegret));
      is_a_winner = is_a_winner || entry.choice == answer->entry.choice;
    }
    if (answer->source == DispatchSource::Dispatched) CHECK(is_a_winner);
  }
}

TEST_CASE("a winner that makes too many parts of tiles here is no candidate") {
  Artefact artefact = tuned();
  artefact.entries.resize(1);
  artefact.entries.front().choice =
      config_of(parse_config("cta=64x16x64,stages=10,decomposition=split-k:21:atomic"));
  const auto answer =
      dispatch(artefact, workload_of({.shape = {16384, 16384, 16384}}), testing::h200());
  REQUIRE(answer.has_value());
  CHECK(answer->source == DispatchSource::Fallback);
}

TEST_CASE("a bucket's winner answers with the measured times, where it is legal") {
  Artefact artefact = tuned();
  artefact.entries.resize(6);  // for speed
  const DeviceSpec device = testing::h200();
  const Workload problem = workload_of({.shape = {2048, 2048, 1920}});
  const TrialPlan plan = plan_trial(artefact, problem, device);
  REQUIRE(plan.configs.size() >= 3);
  CHECK(plan.configs.front() == complete_config({}, problem, device));
  CHECK(plan.predicted == dispatch(artefact, problem, device)->entry.choice);
  // Makes the slowest predicted winner that may answer the fastest of the trial.
  const double model = predicted_us(problem, complete_config({}, problem, device));
  Trial trial{problem, "2026-11-23", 25, plan.predicted, {}};
  TileConfig fastest;
  double most = 0;
  for (const TileConfig& config : plan.configs) {
    trial.times.push_back({config, 100});
    const double us = predicted_us(problem, config);
    const bool is_winner =
        std::any_of(artefact.entries.begin(), artefact.entries.end(),
                    [&config](const TuneEntry& entry) { return entry.choice == config; });
    if (!is_winner || us > model * (1 + kMaxInBucket) || us < most) continue;
    most = us;
    fastest = config;
  }
  REQUIRE(most > 0);
  const auto time_of_fastest = [&]() -> double& {
    return std::find_if(trial.times.begin(), trial.times.end(),
                        [&](const Trial::Time& time) { return time.config == fastest; })
        ->us;
  };
  // The products beside it make the winner's evidence.
  const auto beside = [&trial] {
    std::vector<Trial> all(3, trial);
    all[1].problem.shapes.front().k -= 64;
    all[2].problem.shapes.front().k += 64;
    return all;
  };
  time_of_fastest() = 50;
  add_trials(artefact, beside());
  REQUIRE(artefact.buckets.size() == 1);
  const auto answer = dispatch(artefact, problem, device);
  REQUIRE(answer->bucket == &artefact.buckets[0]);
  CHECK(answer->source == DispatchSource::Dispatched);
  CHECK(answer->entry.choice == fastest);
  CHECK(answer->bucket->trials == 3);
  CHECK(to_document(*answer).at("measured_regret").at("worst_regret") == 0);
  // A second trial of the product replaces the first.
  time_of_fastest() = 300;
  add_trials(artefact, beside());
  CHECK(artefact.trials.size() == 3);
  CHECK(artefact.buckets[0].choice != fastest);
  // Outside the range nothing was measured.
  const Workload outside = workload_of({.shape = {2056, 2048, 1920}});
  CHECK(dispatch(artefact, outside, device)->bucket == nullptr);
}

TEST_CASE("a tried product is answered with its fastest trial") {
  const DeviceSpec device = testing::h200();
  const Artefact tuned = landed();
  size_t by_winners = 0;
  size_t by_model = 0;  // answers that were the model's choice at the time of the trial
  for (size_t i = 0; i < tuned.trials.size(); i += 8) {
    const Trial& trial = tuned.trials[i];
    CAPTURE(to_string(trial.problem));
    const auto fastest =
        std::min_element(trial.times.begin(), trial.times.end(),
                         [](const Trial::Time& a, const Trial::Time& b) { return a.us < b.us; });
    const auto answer = dispatch(tuned, trial.problem, device);
    REQUIRE(answer);
    const bool is_winner =
        std::any_of(tuned.entries.begin(), tuned.entries.end(), [&](const TuneEntry& entry) {
          return entry.choice == fastest->config && same_kind(entry.problem, trial.problem);
        });
    CHECK(answer->entry.choice == fastest->config);
    CHECK(answer->trial == &trial);
    CHECK(answer->source == (is_winner ? DispatchSource::Dispatched : DispatchSource::Fallback));
    CHECK(answer->entry.predicted.us == predicted_us(trial.problem, fastest->config));
    CHECK(to_document(*answer).at("tried").at("us") == fastest->us);
    CHECK(contains(origin_text(*answer), format("fastest of {} configs", trial.times.size())));
    (is_winner ? by_winners : by_model) += 1;
    const Bucket* const bucket = answer->bucket;
    if (bucket != nullptr) CHECK((bucket->by_model || bucket->choice == answer->entry.choice));
  }
  CHECK(by_model > 2);
  CHECK(by_winners > 2);
}

// A reference that takes `ratio` times as long as the choice.
ReferenceResult reference_of(double ratio) {
  return {.name = "cublasLt/7",
          .median_us = 100 * ratio,
          .ratio = {ratio, {ratio - 0.01, ratio + 0.01}},
          .counters = std::nullopt};
}

TEST_CASE(
    "the library's lead is the one recorded where the answer or its range's winner was tuned") {
  TuneEntry entry;
  entry.problem = workload_of({.shape = {2048, 2048, 2048}});
  entry.choice = config_of(parse_config(
      "family=sm90,cta=128x128x64,cluster=1x1,stages=4,schedule=cooperative,raster=row"));
  CHECK(!library_lead(entry));
  // Only an interval wholly below 1 is a lead.
  for (const double ratio : {0.9, 0.985, 0.995, 1.0, 1.2}) {
    entry.reference = reference_of(ratio);
    const std::optional<LibraryLead> lead = library_lead(entry);
    REQUIRE(lead.has_value() == (ratio + 0.01 < 1));
    if (!lead) continue;
    CHECK(lead->ratio == entry.reference->ratio);
    CHECK(to_document(*lead).at("ratio") == ratio);
    CHECK(to_document(*lead).at("ratio_ci").at(1) == ratio + 0.01);
  }
  // With the objective energy, fewer joules are better, even at a longer time.
  entry.objective = Objective::Energy;
  entry.energy = Energy{2, 100};
  entry.reference->energy = Energy{1, 120};
  CHECK(library_lead(entry)->joules_ratio == 0.5);
  CHECK(contains(lead_text(*library_lead(entry), entry.problem), "better by energy: cublasLt/7"));
  entry.objective = Objective::Time;
  CHECK(!library_lead(entry));

  const DeviceSpec device = testing::h200();
  Artefact artefact;
  entry.reference = reference_of(0.9);
  artefact.entries = {entry};
  const Workload inside = workload_of({.shape = {2048, 2048, 1920}});
  TileConfig slow = entry.choice;
  slow.cta = {64, 64, 64};
  for (const int64_t k : std::initializer_list<int64_t>{1856, 1920, 1984}) {
    const Workload tried = workload_of({.shape = {2048, 2048, k}});
    artefact.trials.push_back({tried, "2026-11-23", 25, slow, {{entry.choice, 100}, {slow, 200}}});
  }
  artefact.buckets = buckets_of(artefact.entries, artefact.trials);
  REQUIRE(entry_of(artefact, artefact.buckets.at(0)) == artefact.entries.data());
  artefact.trials.clear();
  const auto answer = dispatch(artefact, inside, device);
  REQUIRE(answer);
  // The same for a fallback: it names the range's winner, which was tuned.
  REQUIRE(library_lead(*answer));
  CHECK(library_lead(*answer)->at == entry.problem);
  CHECK(to_document(*answer).at("library_faster").at("at") == "2048x2048x2048");
  CHECK(contains(lead_text(*library_lead(*answer), inside),
                 "faster at 2048x2048x2048 bf16 tn: cublasLt/7 takes 0.900 of the tuned config's"));
  artefact.entries[0].reference = reference_of(1.1);
  CHECK(!library_lead(*dispatch(artefact, inside, device)));
  artefact.buckets[0].by_model = true;
  CHECK(entry_of(artefact, artefact.buckets[0]) == nullptr);
}

TEST_CASE("the fastest legal trial answers, of equal ones the first") {
  const DeviceSpec device = testing::h200();
  const Workload problem = workload_of({.shape = {64, 512, 512}});
  const std::string rest = "family=sm90,cluster=1x1,raster=row,cta=64x64x64,stages=";
  const TileConfig too_deep = config_of(parse_config(rest + "30"));
  const TileConfig one = config_of(parse_config(rest + "4"));
  const TileConfig other = config_of(parse_config(rest + "5"));
  Artefact artefact;
  artefact.trials = {{problem, "2026-11-23", 25, one, {{too_deep, 1}, {other, 2}, {one, 2}}}};
  const auto answer = fastest_of_trial(artefact, problem, device);
  REQUIRE(answer);
  CHECK(answer->trial == artefact.trials.data());
  CHECK(*answer->fastest == other);
  artefact.trials[0].times = {{too_deep, 1}};
  CHECK(!fastest_of_trial(artefact, problem, device));
  Workload larger = problem;
  larger.shapes[0].m = 65;
  CHECK(!fastest_of_trial(artefact, larger, device));
}

TEST_CASE("products between tuned ones differ from two of them in one size, about twice apart") {
  const Artefact artefact = tuned();
  const std::vector<Workload> products = intermediate_products(artefact);
  CHECK(products.size() > 20);
  for (const Workload& product : products) {
    CHECK(find_entry(artefact, product) == nullptr);
    const GemmShape& s = product.shapes[0];
    int64_t below = 0;
    int64_t above = 0;
    for (const TuneEntry& entry : artefact.entries) {
      const GemmShape& t = entry.problem.shapes[0];
      if (entry.problem.kind.layout != product.kind.layout) continue;
      const int same = (s.m == t.m ? 1 : 0) + (s.n == t.n ? 1 : 0) + (s.k == t.k ? 1 : 0);
      if (same != 2) continue;
      (t.m < s.m || t.n < s.n || t.k < s.k ? below : above) += 1;
    }
    CHECK(below > 0);
    CHECK(above > 0);
  }
}

TEST_CASE("without a winner of the kind the model answers; groups have no answer") {
  const DeviceSpec device = testing::h200();
  const Workload other = workload_of({.shape = {512, 512, 512}, .kind = {.dtype = DataType::F16}});
  const auto answer = dispatch(tuned(), other, device);
  REQUIRE(answer.has_value());
  CHECK(answer->source == DispatchSource::Fallback);
  CHECK(*answer->predicted_regret == 0);
  CHECK(answer->entry.choice == complete_config({}, other, device));
  Workload group = other;
  group.shapes.push_back({64, 512, 512});
  CHECK(!dispatch(tuned(), group, device));
  Workload triangle = other;
  triangle.op = MatrixOp::Syrk;
  CHECK(dispatch(tuned(), triangle, device)->source == DispatchSource::Fallback);
}

TEST_CASE("a triangle is answered as a product is, by winners of its operation and triangle") {
  const Artefact artefact =
      load_best(std::string(TILEWRIGHT_SOURCE_DIR) + "/presets/tuned/h200-rank-k.yaml");
  int by_winner = 0;
  for (const MatrixOp op : {MatrixOp::Syrk, MatrixOp::Syr2k}) {
    for (const Uplo uplo : {Uplo::Lower, Uplo::Upper}) {
      Workload triangle = workload_of({.shape = {4000, 4000, 4096}});
      triangle.op = op;
      triangle.uplo = uplo;
      const auto answer = dispatch(artefact, triangle, testing::h200());
      REQUIRE(answer.has_value());
      CHECK(!reject_workload(triangle, answer->entry.choice, testing::h200()));
      CHECK(*answer->predicted_regret <= kMaxPredictedRegret);
      if (answer->source != DispatchSource::Dispatched) continue;
      ++by_winner;
      CHECK(same_kind(answer->from, triangle));
    }
  }
  CHECK(by_winner > 0);
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
