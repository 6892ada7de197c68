// Tests the results of an H200 in presets/tuned: they are legal, verified, and a check of the
// model.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "model/price.hpp"
#include "model/roofline.hpp"
#include "store/best_table.hpp"
#include "store/device_preset.hpp"
#include "store/preset_path.hpp"
#include "store/problems.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

Artefact tuned_h200() {
  return load_best((presets_folder() / "tuned" / "h200.yaml").string());
}

TEST_CASE("every tuned config is legal on the preset, verified and clean of spills") {
  const DeviceSpec device = load_device_preset("h200");
  const Artefact tuned = tuned_h200();
  CHECK(!tuned.predicted);
  REQUIRE(tuned.entries.size() == 3);
  for (const TuneEntry& entry : tuned.entries) {
    CAPTURE(to_string(entry.problem));
    CHECK(!reject_workload(entry.problem, entry.choice, device));
    REQUIRE(entry.verified);
    CHECK(entry.verified->ok);
    CHECK(entry.verified->rel_error < 4e-3);
    REQUIRE(entry.build);
    CHECK(entry.build->spill_bytes == 0);
    CHECK(entry.wrong.empty());
  }
}

// presets/problems/dense.yaml, tuned in one run.
TEST_CASE("every problem of the dense suite is tuned, with a config that is still legal") {
  const DeviceSpec device = load_device_preset("h200");
  const Artefact tuned = load_best((presets_folder() / "tuned" / "h200-dense.yaml").string());
  std::vector<Problem> suite;
  for (const Workload& workload : workloads_of(read_problem_argument("@dense"), {})) {
    suite.push_back(problem_of(workload, 0));
  }
  REQUIRE(tuned.entries.size() == suite.size());
  for (const Problem& problem : suite) {
    CAPTURE(to_string(problem));
    const TuneEntry* const entry = find_entry(tuned, workload_of(problem));
    REQUIRE(entry != nullptr);
    CHECK(!reject_config(problem, entry->choice, device));
    REQUIRE(entry->verified);
    CHECK(entry->verified->ok);
    CHECK(entry->reference);
  }
}

TEST_CASE("a range's worst regret equals that of the times measured inside it") {
  const Artefact tuned = load_best((presets_folder() / "tuned" / "h200-dense.yaml").string());
  REQUIRE(tuned.trials.size() == 93);
  std::map<const Bucket*, double> worst;
  for (const Trial& trial : tuned.trials) {
    CAPTURE(to_string(trial.problem));
    const Bucket* const bucket = find_bucket(tuned.buckets, trial.problem);
    REQUIRE(bucket != nullptr);
    double least = trial.times.front().us;
    double answered = 0;
    for (const Trial::Time& time : trial.times) {
      least = std::min(least, time.us);
      if (time.config == (bucket->by_model ? trial.predicted : bucket->choice)) answered = time.us;
    }
    REQUIRE(answered > 0);
    worst[bucket] = std::max(worst[bucket], answered / least - 1);
  }
  CHECK(worst.size() == tuned.buckets.size());
  for (const auto& [bucket, regret] : worst) {
    CHECK(bucket->worst_regret == doctest::Approx(regret));
    CHECK(bucket->held_out >= bucket->worst_regret);
    CHECK((bucket->by_model || regret <= 0.05));
  }
}

// Only the clock's constants are fitted to these trials.
TEST_CASE("predicted times are near the trials' times and order them right") {
  const DeviceSpec device = load_device_preset("h200");
  const Artefact tuned = load_best((presets_folder() / "tuned" / "h200-dense.yaml").string());
  std::vector<double> off;
  std::vector<double> regret_of_best;
  for (const Trial& trial : tuned.trials) {
    double best = trial.times.front().us;
    double first = 0;
    double least = 0;
    for (const Trial::Time& time : trial.times) {
      const double predicted = estimate(make_plan(trial.problem, time.config, device), device).us;
      off.push_back(std::abs(predicted / time.us - 1));
      best = std::min(best, time.us);
      if (first == 0 || predicted < least) {
        first = time.us;
        least = predicted;
      }
    }
    regret_of_best.push_back(std::log(first / best));
  }
  std::sort(off.begin(), off.end());
  CHECK(off[off.size() / 2] < 0.04);
  CHECK(off[off.size() * 9 / 10] < 0.12);
  CHECK(std::exp(std::accumulate(regret_of_best.begin(), regret_of_best.end(), 0.0) /
                 static_cast<double>(regret_of_best.size())) < 1.015);
}

TEST_CASE("a long product has the clock that was sampled under full power") {
  constexpr double kFullWatts = 685;
  const DeviceSpec device = load_device_preset("h200");
  const Artefact tuned = load_best((presets_folder() / "tuned" / "h200-dense.yaml").string());
  int under_full_power = 0;
  for (const TuneEntry& entry : tuned.entries) {
    const double tensor_us = roofline(entry.problem, device).tensor_us;
    if (entry.timing->watts < kFullWatts || tensor_us < device.clock.brief_us) continue;
    CAPTURE(to_string(entry.problem));
    const double share =
        price_of(make_plan(entry.problem, entry.choice, device), device).clock_share;
    // The sustained clock in MHz, which holds for products of up to brief_us.
    constexpr double kBriefMhz = 1740;
    CHECK(share * kBriefMhz == doctest::Approx(entry.timing->sm_mhz).epsilon(0.1));
    ++under_full_power;
  }
  CHECK(under_full_power >= 12);
}

// Tests presets/problems/NAME.yaml of groups or rank-k updates, tuned in one run; a library is
// faster in `behind` of them.
void check_suite(const std::string& name, size_t behind) {
  const DeviceSpec device = load_device_preset("h200");
  const Artefact tuned =
      load_best((presets_folder() / "tuned" / ("h200-" + name + ".yaml")).string());
  CHECK(!tuned.predicted);
  size_t slower = 0;
  const std::vector<Workload> suite = workloads_of(read_problem_argument("@" + name), {});
  for (const Workload& workload : suite) {
    CAPTURE(full_text(workload));
    const TuneEntry* const entry = find_entry(tuned, workload);
    REQUIRE(entry != nullptr);
    CHECK(entry->problem == workload);
    CHECK(!reject_workload(workload, entry->choice, device));
    REQUIRE(entry->verified);
    CHECK(entry->verified->ok);
    CHECK(entry->verified->rel_error < 4e-3);
    REQUIRE(entry->build);
    CHECK(entry->build->spill_bytes == 0);
    CHECK(entry->wrong.empty());
    // The reference is the fastest algorithm that ran.
    REQUIRE(entry->reference);
    CHECK(!entry->references.empty());
    if (entry->reference->ratio.interval.low <= 1) ++slower;
    for (const Alternative& alternative : entry->alternatives) {
      CHECK(!reject_workload(workload, alternative.config, device));
    }
    CHECK(entry->alternatives.empty() != is_group(workload));
  }
  CHECK(tuned.entries.size() == suite.size());
  CHECK(slower == behind);
}

TEST_CASE("groups and rank-k updates are tuned, with the products where a library is ahead") {
  check_suite("grouped", 1);  // all rows in one product
  check_suite("rank-k", 0);
}

// Covers all problems, clusters and planes of D of a group. The replay knows that syrk and syr2k
// read the same lines as rows and as columns; her2k, and tiles with little in common, it does not.
TEST_CASE("predicted reads and writes of groups and updates are near the counters") {
  const DeviceSpec device = load_device_preset("h200");
  for (const std::string name : {"grouped", "rank-k"}) {
    const Artefact tuned =
        load_best((presets_folder() / "tuned" / ("h200-" + name + ".yaml")).string());
    for (const TuneEntry& entry : tuned.entries) {
      CAPTURE(to_string(entry.problem));
      const Estimate predicted = estimate(make_plan(entry.problem, entry.choice, device), device);
      REQUIRE(entry.counters);
      const bool small = entry.counters->dram_write_bytes < 5e6;
      CHECK(predicted.dram_write_bytes ==
            doctest::Approx(entry.counters->dram_write_bytes).epsilon(small ? 0.25 : 0.12));
      const bool is_shared =
          entry.problem.op == MatrixOp::Syrk || entry.problem.op == MatrixOp::Syr2k;
      if (is_shared && entry.choice.cta.m == entry.choice.cta.n) {
        CHECK(predicted.dram_read_bytes ==
              doctest::Approx(entry.counters->dram_read_bytes).epsilon(0.15));
      }
      if (name != "grouped") continue;
      CHECK(predicted.dram_read_bytes ==
            doctest::Approx(entry.counters->dram_read_bytes).epsilon(0.05));
      CHECK(predicted.us == doctest::Approx(entry.timing->median_us).epsilon(0.15));
      // The counter also has other accesses than those to operands.
      CHECK(std::abs(100 * predicted.l2_hit_rate - entry.counters->l2_hit_pct) < 15);
    }
  }
}

// After another routing of tokens to the same experts, find_entry() returns the config of the tuned
// routing.
TEST_CASE("a tuned group answers for its layer's other rows, and for no other layer's") {
  const Artefact tuned = load_best((presets_folder() / "tuned" / "h200-grouped.yaml").string());
  for (const TuneEntry& entry : tuned.entries) {
    Workload rerouted = entry.problem;
    std::reverse(rerouted.shapes.begin(), rerouted.shapes.end());
    ++rerouted.shapes.front().m;
    CHECK(find_entry(tuned, rerouted) == &entry);
    for (GemmShape& shape : rerouted.shapes) shape.k += 8;
    CHECK(find_entry(tuned, rerouted) == nullptr);
  }
}

// Compares the replay's DRAM reads with the hardware counter, and the estimate with the measured
// time. If tiles are stored in pieces of 32 bytes a row (112 columns), the counter also has the
// reads that partial writes cause.
TEST_CASE("the model agrees with the counters and times that were recorded") {
  const DeviceSpec device = load_device_preset("h200");
  for (const TuneEntry& entry : tuned_h200().entries) {
    CAPTURE(to_string(entry.problem));
    const Estimate predicted = estimate(make_plan(entry.problem, entry.choice, device), device);
    REQUIRE(entry.counters);
    CHECK(predicted.dram_read_bytes ==
          doctest::Approx(entry.counters->dram_read_bytes).epsilon(0.25));
    CHECK(predicted.us == doctest::Approx(entry.timing->median_us).epsilon(0.15));
  }
}

}  // namespace
}  // namespace tilewright
