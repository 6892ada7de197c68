#include "search/trial_run.hpp"

#include <algorithm>

#include "search/admission.hpp"
#include "search/confirmation.hpp"
#include "search/race.hpp"
#include "search/strategy.hpp"
#include "stats/sample.hpp"

namespace tilewright {
namespace {

// A trial without the model's answer has nothing to compare, so its times are cleared.
Trial with_prediction(Trial trial) {
  const bool has = std::any_of(trial.times.begin(), trial.times.end(),
                               [&](const Trial::Time& t) { return t.config == trial.predicted; });
  if (!has) trial.times.clear();
  return trial;
}

}  // namespace

Trial measure_trial(const TrialPlan& plan, Runner& runner, const TrialPolicy& policy,
                    ProgressListener& progress) {
  constexpr int64_t kPilotRounds = 5;
  Trial trial;
  trial.problem = plan.problem;
  trial.predicted = plan.predicted;
  runner.prepare(plan.problem);
  policy.between_races();
  Admission admission(plan.problem, runner, progress);
  const std::vector<Contender> contenders = admission.admit(plan.configs, 0);
  if (contenders.empty()) throw admission.nothing_runs();
  int64_t done = 0;
  Race race(runner, contenders, policy.seed, [&] { progress.advance(done++, 0); });
  progress.begin("pilot", kPilotRounds + 1);
  race.warm_up();
  race.run(kPilotRounds);
  if (race.ours_by_median().empty()) throw admission.nothing_runs();
  trial.rounds = policy.rounds > 0 ? policy.rounds : rounds_for(race.round_us());
  progress.begin("rounds", trial.rounds);
  done = 0;
  race.run(trial.rounds);
  policy.between_races();
  for (const RaceEntry* const entry : race.ours_by_median()) {
    trial.times.push_back({*entry->contender.config, median(entry->samples_us)});
  }
  for (const RaceEntry& entry : race.entries()) {
    if (!entry.failure.empty()) admission.withdraw(entry);
  }
  return with_prediction(trial);
}

Trial recorded_trial(const TrialPlan& plan, const ProblemLog& log, const DeviceSpec& device) {
  Trial trial;
  trial.problem = plan.problem;
  trial.predicted = plan.predicted;
  std::vector<RecordedConfig> recorded = recorded_configs(plan.problem, log, device);
  std::stable_sort(recorded.begin(), recorded.end(),
                   [](const RecordedConfig& a, const RecordedConfig& b) { return a.us < b.us; });
  for (size_t i = 0; i < recorded.size(); ++i) {
    const TileConfig& config = recorded[i].config;
    const bool is_tried =
        std::find(plan.configs.begin(), plan.configs.end(), config) != plan.configs.end();
    if (i == 0 || is_tried) trial.times.push_back({config, recorded[i].us});
  }
  return with_prediction(trial);
}

}  // namespace tilewright
