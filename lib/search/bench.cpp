#include "search/bench.hpp"

#include <algorithm>
#include <cmath>

#include "base/interruption.hpp"
#include "base/text.hpp"
#include "search/estimate_order.hpp"
#include "search/race.hpp"
#include "search/tuner.hpp"
#include "tile/plan/equal_decomposition.hpp"
#include "tile/plan/schedule_report.hpp"

namespace tilewright {
namespace {

// The same config may be listed twice, to show the noise: numbers keep the names apart.
Contender contender_of(const BenchRow& row, size_t index) {
  Contender contender{.name = format("{}: {}", index + 1, name_of(row)),
                      .config = std::nullopt,
                      .reference_algorithm = -1,
                      .foreign = row.foreign};
  if (!row.foreign) contender.config = row.effective;
  return contender;
}

// Results in the rows' order. Builds our configs in one call and foreign ones in another.
std::vector<BuildResult> build_all(const BenchResult& result, Runner& runner) {
  std::vector<TileConfig> ours;
  std::vector<Contender> others;
  for (size_t i = 0; i < result.rows.size(); ++i) {
    const BenchRow& row = result.rows[i];
    if (!row.why_not.empty()) continue;
    if (row.foreign) {
      others.push_back(contender_of(row, i));
    } else {
      ours.push_back(row.effective);
    }
  }
  std::vector<BuildResult> of_ours;
  if (!ours.empty()) of_ours = runner.build(ours);
  std::vector<BuildResult> of_others;
  if (!others.empty()) of_others = runner.build_foreign(others);
  std::vector<BuildResult> builds;
  auto next_of_ours = of_ours.begin();
  auto next_of_others = of_others.begin();
  for (const BenchRow& row : result.rows) {
    if (row.why_not.empty()) {
      builds.push_back(row.foreign ? *next_of_others++ : *next_of_ours++);
    } else {
      builds.push_back({.reason = row.why_not});
    }
  }
  return builds;
}

// Verifies what was built; returns the rows that may be timed.
std::vector<Contender> admit(BenchResult& result, Runner& runner, ProgressListener& progress) {
  progress.begin("compile", std::ssize(result.rows));
  const std::vector<BuildResult> builds = build_all(result, runner);
  progress.begin("verify", std::ssize(result.rows));
  std::vector<Contender> admitted;
  for (size_t i = 0; i < result.rows.size(); ++i) {
    throw_if_interrupted();
    BenchRow& row = result.rows[i];
    row.why_not = builds[i].reason;
    if (!builds[i].ok()) continue;
    const Contender contender = contender_of(row, i);
    row.verified = runner.verify(contender);
    row.wrong = !row.verified->ok;
    row.why_not = row.verified->detail;
    if (!row.wrong) admitted.push_back(contender);
    progress.advance(static_cast<int64_t>(i) + 1, 0);
  }
  return admitted;
}

const RaceEntry* find_entry(const Race& race, const std::string& name) {
  for (const RaceEntry& entry : race.entries()) {
    if (entry.contender.name == name) return &entry;
  }
  return nullptr;
}

// The entry that rows are compared with: the fastest reference, else the first row that returned.
const RaceEntry* baseline_of(const Race& race) {
  if (const RaceEntry* const reference = race.best_reference()) return reference;
  for (const RaceEntry& entry : race.entries()) {
    if (entry.failure.empty()) return &entry;
  }
  return nullptr;
}

void fill_rows(BenchResult& result, const Race& race) {
  const RaceEntry* const baseline = baseline_of(race);
  if (baseline != nullptr) {
    result.baseline = baseline->contender.name;
    result.baseline_us = median(baseline->samples_us);
  }
  for (const RaceEntry& entry : race.entries()) {
    if (!is_reference(entry.contender) || !entry.failure.empty()) continue;
    result.references.push_back({entry.contender.name, median(entry.samples_us)});
  }
  for (size_t i = 0; i < result.rows.size(); ++i) {
    BenchRow& row = result.rows[i];
    const RaceEntry* const entry = find_entry(race, contender_of(row, i).name);
    if (entry == nullptr) continue;
    if (!entry->failure.empty()) {
      row.wrong = true;
      row.why_not = entry->failure;
      continue;
    }
    row.timing = summarize(result.workload, *entry);
    row.ratio = paired_ratio(baseline->samples_us, entry->samples_us);
  }
}

// Runs after everything that is timed; references are not counted.
void count_rows(BenchResult& result, Runner& runner) {
  std::vector<Contender> ours;
  std::vector<BenchRow*> rows;
  for (size_t i = 0; i < result.rows.size(); ++i) {
    if (!result.rows[i].timing) continue;
    ours.push_back(contender_of(result.rows[i], i));
    rows.push_back(&result.rows[i]);
  }
  if (ours.empty()) return;
  const std::vector<CounterReading> readings = runner.count(ours);
  for (size_t i = 0; i < readings.size(); ++i) {
    rows[i]->counters = readings[i].counters;
    rows[i]->why_no_counters = readings[i].why_not;
  }
}

// The neighbour's rate alone, beside each timed row, and beside the baseline if that is no row.
void measure_neighbour(BenchResult& result, Runner& runner,
                       const std::vector<Contender>& contenders) {
  std::vector<Contender> measured;
  std::vector<std::optional<double>*> rates;
  for (size_t i = 0; i < result.rows.size(); ++i) {
    if (!result.rows[i].timing) continue;
    measured.push_back(contender_of(result.rows[i], i));
    rates.push_back(&result.rows[i].beside_gb_per_s);
  }
  for (const Contender& contender : contenders) {
    if (!is_reference(contender) || contender.name != result.baseline) continue;
    measured.push_back(contender);
    rates.push_back(&result.neighbour->baseline_gb_per_s);
  }
  const NeighbourRates read = runner.measure_neighbour(measured);
  result.neighbour->why_not = read.why_not;
  if (!read.why_not.empty()) return;
  result.neighbour->alone_gb_per_s = read.alone_gb_per_s;
  for (size_t i = 0; i < rates.size(); ++i) *rates[i] = read.beside_gb_per_s.at(i);
}

// Verifies foreign configs among other launches, where one that reuses earlier results fails, and
// all of them beside a neighbour, where one that counts on all multiprocessors fails.
void verify_in_rounds(BenchResult& result, Runner& runner) {
  for (size_t i = 0; i < result.rows.size(); ++i) {
    BenchRow& row = result.rows[i];
    if (!row.timing || (!row.foreign && !result.neighbour)) continue;
    const Contender contender = contender_of(row, i);
    const Verification verified = runner.verify_in_round({&contender, 1});
    if (verified.ok) continue;
    row.verified = verified;
    row.wrong = true;
    row.why_not = format("in a round {}", verified.detail);
    row.timing.reset();
    row.ratio.reset();
  }
}

}  // namespace

std::optional<double> time_of(const BenchRow& row) {
  return row.timing ? std::optional(row.timing->median_us) : believed_us(row.predicted);
}

int64_t place_among(const BenchRow& row, const std::vector<BenchRow>& rows) {
  return 1 + std::count_if(rows.begin(), rows.end(), [&row](const BenchRow& other) {
           return ranks_before(other.predicted, row.predicted);
         });
}

std::string name_of(const BenchRow& row) {
  return row.foreign ? to_string(*row.foreign) : to_string(row.effective);
}

BenchResult bench(const Workload& workload, Runner& runner, const std::vector<BenchConfig>& configs,
                  const BenchPolicy& policy, ProgressListener& progress) {
  constexpr int64_t kPilotRounds = 5;
  BenchResult result = predict_bench(workload, runner.device(), configs);
  if (policy.beside) {
    result.neighbour = {.beside = beside_of(*policy.beside, workload, runner.device())};
  }
  throw_if_interrupted();
  runner.prepare(workload);
  result.regime = regime_of(runner.method());
  std::vector<Contender> contenders = admit(result, runner, progress);
  if (contenders.empty()) return result;
  if (policy.against_reference) {
    for (const Contender& reference : runner.reference_contenders()) {
      const bool out = !policy.left_out.empty() && reference.name.starts_with(policy.left_out);
      if (!out) contenders.push_back(reference);
    }
  }
  int64_t done = 0;
  const auto before_round = [&] { progress.advance(done++, 0); };
  progress.begin("pilot", kPilotRounds + 1);
  Race race(runner, contenders, policy.seed, before_round);
  race.warm_up();
  race.run(kPilotRounds);
  result.rounds = policy.rounds > 0 ? policy.rounds : rounds_for(race.round_us());
  progress.begin("rounds", result.rounds);
  done = 0;
  Race measured(runner, contenders, policy.seed + 1, before_round);
  measured.run(result.rounds);
  fill_rows(result, measured);
  verify_in_rounds(result, runner);
  if (result.neighbour) measure_neighbour(result, runner, contenders);
  if (policy.counters) count_rows(result, runner);
  return result;
}

BenchResult predict_bench(const Workload& workload, const DeviceSpec& device,
                          const std::vector<BenchConfig>& configs) {
  BenchResult result;
  result.workload = workload;
  for (const BenchConfig& config : configs) {
    BenchRow row;
    row.requested = config.requested;
    row.effective = config.effective;
    row.foreign = config.foreign;
    row.why_not = config.why_not;
    if (row.foreign) {
      result.rows.push_back(std::move(row));
      continue;
    }
    const Plan plan = make_plan(workload, config.effective, device);
    row.predicted = estimate(plan, device);
    row.equals = equal_decomposition(plan, device);
    if (!is_product(workload)) row.imbalance = report_schedule(plan).imbalance;
    result.rows.push_back(row);
  }
  return result;
}

std::optional<RatioSummary> summarize(const SuiteBench& suite) {
  RatioSummary summary;
  double log_sum = 0;
  for (const BenchResult& result : suite.results) {
    const std::optional<PairedRatio>& ratio = result.rows.front().ratio;
    if (!ratio) continue;
    log_sum += std::log(ratio->ratio);
    if (summary.count++ == 0 || ratio->ratio < summary.lowest) {
      summary.lowest = ratio->ratio;
      summary.lowest_workload = result.workload;
    }
  }
  if (summary.count == 0) return std::nullopt;
  summary.geometric_mean = std::exp(log_sum / static_cast<double>(summary.count));
  return summary;
}

}  // namespace tilewright
