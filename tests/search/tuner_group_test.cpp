// A search for groups and rank-k updates, on a runner with made-up times.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <variant>

#include "base/text.hpp"
#include "search/complete.hpp"
#include "search/predict.hpp"
#include "search/rank.hpp"
#include "search/tuner.hpp"
#include "support/fake_runner.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

Workload experts() {
  Workload group;
  for (const int64_t rows : {700, 0, 129, 64, 300}) group.shapes.push_back({rows, 1024, 512});
  return group;
}

Workload triangle(MatrixOp op, Uplo uplo) {
  Workload made;
  made.op = op;
  made.uplo = uplo;
  made.shapes = {{1024, 1024, 512}};
  return made;
}

TunePolicy quick_policy() {
  TunePolicy policy;
  policy.spaces = requested_spaces(parse_config("stages=4,schedule=cooperative"));
  policy.rounds = 60;
  return policy;
}

TuneResult run(const Workload& workload, testing::FakeRunner& runner) {
  ProgressListener silent;
  return tune(workload, runner, quick_policy(), silent);
}

// Kernels differ by a made-up tenth, and the schedules of each by the given shares.
std::function<double(const TileConfig&)> made_up(const std::map<std::string, double>& schedules) {
  return [schedules](const TileConfig& config) {
    TileConfig kernel = config;
    kernel.group_schedule = {};
    kernel.problem_order = {};
    const std::string hash = hash_text(to_string(kernel));
    const double surprise = static_cast<double>(std::stoi(hash.substr(0, 2), nullptr, 16)) / 255;
    return 100 * (1 + surprise / 10) *
           schedules.at(to_string(config.group_schedule) + " " + to_string(config.problem_order));
  };
}

TEST_CASE("a group's choice has the fastest schedule and lists the ratio of each other one") {
  testing::FakeRunner runner;
  runner.time_us = made_up({{"device-only given", 1.08},
                            {"dynamic given", 1.12},
                            {"host-precompute given", 1.05},
                            {"host-precompute k-descending", 1.05},
                            {"host-precompute lpt", 1.0}});
  const TuneResult result = run(experts(), runner);
  const TuneEntry& entry = result.entry;
  CHECK(entry.problem == experts());
  CHECK_FALSE(reject_workload(experts(), entry.choice, testing::h200()));
  CHECK(entry.choice.group_schedule == GroupSchedule::HostPrecompute);
  CHECK(entry.choice.problem_order == ProblemOrder::Lpt);
  std::map<std::string, double> worth;
  for (const Alternative& alternative : entry.alternatives) {
    REQUIRE(alternative.ratio);
    worth[alternative.change] = alternative.ratio->ratio;
    CHECK(alternative.ratio->interval.low <= alternative.ratio->ratio);
    CHECK(alternative.ratio->ratio <= alternative.ratio->interval.high);
  }
  REQUIRE(worth.size() == 4);
  CHECK(worth.at("group_schedule=dynamic,problem_order=given") ==
        doctest::Approx(1.12).epsilon(0.01));
  CHECK(worth.at("group_schedule=device-only,problem_order=given") ==
        doctest::Approx(1.08).epsilon(0.01));
  CHECK(worth.at("problem_order=given") == doctest::Approx(1.05).epsilon(0.01));
  CHECK(worth.at("problem_order=k-descending") == doctest::Approx(1.05).epsilon(0.01));
}

TEST_CASE("the plainest of equally fast schedules is chosen and compared") {
  testing::FakeRunner runner;
  runner.time_us = made_up({{"device-only given", 1.0},
                            {"dynamic given", 1.0},
                            {"host-precompute given", 1.0},
                            {"host-precompute k-descending", 1.0},
                            {"host-precompute lpt", 1.0}});
  const TuneEntry entry = run(experts(), runner).entry;
  CHECK(entry.choice.group_schedule == GroupSchedule::DeviceOnly);
  CHECK(entry.choice.problem_order == ProblemOrder::Given);
  CHECK(entry.alternatives.size() == 4);
}

// The model would not choose these parts: the race finds them, and one step from them a better
// number.
TEST_CASE("a group's tiles are divided into the fastest number of splits, where allowed") {
  const Workload group{.shapes = {{512, 512, 32768}, {512, 512, 512}, {1024, 1024, 512}}};
  for (const bool deterministic : {false, true}) {
    CAPTURE(deterministic);
    testing::FakeRunner runner;
    runner.time_us = [](const TileConfig& config) {
      TileConfig kernel = config;
      kernel.group_schedule = {};
      kernel.problem_order = {};
      const std::string hash = hash_text(to_string(kernel));
      const double surprise = 1 + std::stoi(hash.substr(0, 2), nullptr, 16) / 5000.0;
      const auto* const split = std::get_if<SplitK>(&config.decomposition);
      if (split == nullptr) return 400 * surprise;
      const double turn = split->reduction == Reduction::Serial ? 8 : 2;
      return (20 + 400.0 / split->slices + turn * split->slices) * surprise;
    };
    TunePolicy policy = quick_policy();
    policy.require = {.deterministic = deterministic};
    ProgressListener silent;
    const TuneEntry entry = tune(group, runner, policy, silent).entry;
    CAPTURE(to_string(entry.choice));
    CHECK_FALSE(reject_workload(group, entry.choice, testing::h200()));
    const auto* const split = std::get_if<SplitK>(&entry.choice.decomposition);
    REQUIRE(split != nullptr);
    CHECK(entry.determinism == (deterministic ? "bitwise" : "sums in the order of arrival"));
    CHECK((split->reduction == Reduction::Serial) == deterministic);
    CHECK(entry.timing->median_us < 200);
    const auto whole = std::find_if(
        entry.alternatives.begin(), entry.alternatives.end(),
        [](const Alternative& a) { return a.change == "decomposition=data-parallel"; });
    REQUIRE(whole != entry.alternatives.end());
    CHECK(whole->ratio->ratio == doctest::Approx(400 / entry.timing->median_us).epsilon(0.06));
    if (!deterministic) continue;
    for (const auto& timed : runner.timed) CHECK(timed.first.find("atomic") == std::string::npos);
  }
}

TEST_CASE("only verified kernels of a group are chosen, and a wrong schedule is named") {
  testing::FakeRunner runner;
  runner.time_us = made_up({{"device-only given", 1.0},
                            {"dynamic given", 1.2},
                            {"host-precompute given", 0.5},
                            {"host-precompute k-descending", 0.5},
                            {"host-precompute lpt", 0.5}});
  runner.is_wrong = [](const TileConfig& config) {
    return config.group_schedule == GroupSchedule::HostPrecompute;
  };
  const TuneEntry entry = run(experts(), runner).entry;
  CHECK(entry.choice.group_schedule == GroupSchedule::DeviceOnly);
  REQUIRE(entry.alternatives.size() == 1);
  CHECK(entry.alternatives.front().config.group_schedule == GroupSchedule::Dynamic);
  CHECK(!entry.wrong.empty());
}

TEST_CASE("a rank-k update is searched like a product, and every reference's time is kept") {
  for (const MatrixOp op : {MatrixOp::Syrk, MatrixOp::Syr2k, MatrixOp::Her2k}) {
    for (const Uplo uplo : {Uplo::Lower, Uplo::Upper}) {
      const Workload update = triangle(op, uplo);
      CAPTURE(to_string(update));
      testing::FakeRunner runner;
      double best_us = 1e9;
      runner.time_us = [&best_us](const TileConfig& config) {
        const std::string hash = hash_text(to_string(config.cta));
        const double us = 100 + std::stoi(hash.substr(0, 2), nullptr, 16) / 25.5;
        best_us = std::min(best_us, us);
        return us;
      };
      const TuneEntry entry = run(update, runner).entry;
      CHECK(entry.problem == update);
      CHECK_FALSE(reject_workload(update, entry.choice, testing::h200()));
      CHECK(entry.timing->median_us <= best_us * 1.02);
      CHECK(entry.alternatives.empty());
      REQUIRE(entry.references.size() == runner.reference_us.size());
      for (const ReferenceTime& time : entry.references) {
        CHECK(entry.reference->median_us <= time.median_us);
      }
      // A triangle has half of the square's operations.
      CHECK(entry.timing->tflops == doctest::Approx(flops(update) / entry.timing->median_us / 1e6));
    }
  }
}

TEST_CASE("without a GPU the answer is the config that the model completes") {
  for (const Workload& workload : {experts(), triangle(MatrixOp::Syr2k, Uplo::Upper)}) {
    const TuneResult result = predict(workload, testing::h200(), {});
    CHECK(result.entry.problem == workload);
    CHECK(result.entry.choice == complete_config({}, workload, testing::h200()));
    CHECK_FALSE(result.entry.timing);
    const Plan plan = make_plan(workload, result.entry.choice, testing::h200());
    CHECK(result.entry.predicted == estimate(plan, testing::h200()));
  }
}

}  // namespace
}  // namespace tilewright
