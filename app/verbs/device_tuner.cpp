#include "verbs/device_tuner.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "request/job.hpp"
#include "search/predict.hpp"

namespace tilewright {

std::string session_of(const TuneRequest& request, const ResolvedDevice& device) {
  const std::string regime = request.regime == Regime::Rotate
                                 ? ""
                                 : format("\n{}", kRegimes[static_cast<size_t>(request.regime)]);
  const std::string race = request.race == 0 ? "" : format("\nrace {}", request.race);
  return hash_text(format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}{}{}", kVersion, request.spelled,
                          to_string(request.require), strategy_name(request),
                          kObjectives[static_cast<size_t>(request.objective)], request.rounds,
                          request.seed, device.spec.name, device.backend->versions(), regime,
                          race));
}

DeviceTuner::DeviceTuner(const TuneRequest& request, const ResolvedDevice& device,
                         const TunePolicy& policy, const RecordStore& earlier, std::ostream& err)
    : device_(device), policy_(policy), budget_(request.budget), err_(err) {
  policy_.is_bounded = budget_.is_set();
  policy_.most_configs = budget_.configs.value_or(policy_.most_configs);
  policy_.is_spent = [this](int64_t measured) { return budget_.is_spent(begin_, measured); };
  if (device.gpu_index < 0) return;
  runner_.emplace(device, err, request.shared, RunnerOptions{policy_.seed, request.regime});
  if (request.store.empty()) return;
  const std::string uuid = device.backend->device_uuid(device.gpu_index);
  const std::string session = session_of(request, device);
  RunLog log = log_of(earlier, session, uuid);
  for (const auto& one : log) known_.insert(one.first);
  file_.emplace(request.store, RunHead{.run = new_run_name(),
                                       .device_uuid = uuid,
                                       .device = fingerprint(device.spec, false),
                                       .tool_version = kVersion,
                                       .environment = device.backend->versions(),
                                       .session = session,
                                       .began = now()});
  recorder_.emplace(**runner_, std::move(log),
                    [this](const Record& record) { file_->append(record); });
  policy_.between_races = [this] { recorder_->between_races(); };
}

DeviceTuner::~DeviceTuner() {
  if (!recorder_ || recorder_->replayed() == 0) return;
  err_ << format("{} launches came from the store, {} were timed\n", recorder_->replayed(),
                 recorder_->measured());
}

bool DeviceTuner::knows(const Workload& problem) const {
  return known_.count(full_text(problem)) > 0;
}

TuneResult DeviceTuner::search(const Workload& problem, ProgressListener& progress,
                               std::optional<Ranking> ranking) {
  begin_ = std::chrono::steady_clock::now();
  if (!runner_) return predict(problem, device_.spec, policy_);
  TuneResult result = tune(problem, asked(), policy_, progress, std::move(ranking));
  result.entry.origin = origin(result.rounds);
  return result;
}

Trial DeviceTuner::try_out(const TrialPlan& plan, ProgressListener& progress) {
  Trial trial = measure_trial(
      plan, asked(),
      {.rounds = policy_.rounds, .seed = policy_.seed, .between_races = policy_.between_races},
      progress);
  trial.origin = origin(trial.rounds);
  return trial;
}

std::optional<LibraryPin> DeviceTuner::pin(const Workload& product, const TileConfig& config,
                                           ProgressListener& progress) {
  return measure_pin(
      product, config, asked(),
      {.rounds = policy_.rounds, .seed = policy_.seed, .between_races = policy_.between_races},
      progress);
}

Origin DeviceTuner::origin(int64_t rounds) {
  return {.tool_version = kVersion,
          .software = software_of(device_.backend->versions()),
          .method = method(),
          .rounds = rounds};
}

MeasuringMethod DeviceTuner::method() {
  return runner_ ? asked().method() : MeasuringMethod{};
}

void DeviceTuner::keep(const TuneResult& result, const ProblemPosition& place) {
  if (file_) file_->append_answer(result.entry, place);
}

}  // namespace tilewright
