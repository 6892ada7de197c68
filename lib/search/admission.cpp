#include "search/admission.hpp"

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {

Contender contender_of(const TileConfig& config) {
  return {.name = to_string(config), .config = config, .reference_algorithm = -1};
}

Contender contender_of(const ForeignConfig& config) {
  return {.name = to_string(config),
          .config = std::nullopt,
          .reference_algorithm = -1,
          .foreign = config};
}

std::vector<Contender> Admission::admit(const std::vector<TileConfig>& configs, double best_us) {
  std::vector<TileConfig> unknown;
  for (const TileConfig& config : configs) {
    if (answers_.try_emplace(to_string(config)).second) unknown.push_back(config);
  }
  if (!unknown.empty()) examine(unknown, best_us);
  std::vector<Contender> admitted;
  for (const TileConfig& config : configs) {
    if (answers_.at(to_string(config)).admitted) admitted.push_back(contender_of(config));
  }
  return admitted;
}

void Admission::examine(const std::vector<TileConfig>& configs, double best_us) {
  throw_if_interrupted();
  const auto count = static_cast<int64_t>(configs.size());
  progress_.begin("compile", count);
  const std::vector<BuildResult> builds = runner_.build(configs);
  progress_.advance(count, best_us);
  progress_.begin("verify", count);
  for (size_t i = 0; i < configs.size(); ++i) {
    throw_if_interrupted();
    Answer& answer = answers_.at(to_string(configs[i]));
    answer.build = builds[i];
    if (builds[i].ok()) {
      answer.admitted = is_right(configs[i]);
    } else {
      ++rejected_["compiler"];
      failure_ = format("{}: {}", to_string(configs[i]), builds[i].reason);
    }
    progress_.advance(static_cast<int64_t>(i) + 1, best_us);
  }
}

bool Admission::is_right(const TileConfig& config) {
  Verification& verification = answers_.at(to_string(config)).verification;
  try {
    verification = runner_.verify(contender_of(config));
  } catch (const Error& error) {
    if (error.code() == ExitCode::Interrupted) throw;
    ++rejected_["launch"];
    failure_ = format("{}: {}", to_string(config), error.what());
    progress_.note(format("cannot run {}", failure_));
    return false;
  }
  if (verification.ok) return true;
  progress_.note(
      format("wrong results, not timed: {}: {}", to_string(config), verification.detail));
  wrong_.push_back({config, verification});
  return false;
}

void Admission::withdraw(const RaceEntry& lost) {
  Answer& answer = answers_.at(lost.contender.name);
  answer.admitted = false;
  answer.verification = {.ok = false, .rel_error = 0, .detail = lost.failure};
  wrong_.push_back({*lost.contender.config, answer.verification});
  progress_.note(
      format("the process ended while it was timed: {}: {}", lost.contender.name, lost.failure));
}

Error Admission::nothing_runs() const {
  if (!wrong_.empty()) {
    return Error(ExitCode::WrongResult,
                 format("{}: all {} kernels that ran computed wrong results; the first is {}: {}",
                        to_string(problem_), wrong_.size(), to_string(wrong_.front().config),
                        wrong_.front().verification.detail));
  }
  return environment_error(
      format("{}: no kernel ran; the last failure: {}", to_string(problem_), failure_));
}

const BuildResult& Admission::build_of(const TileConfig& config) const {
  return answers_.at(to_string(config)).build;
}

const Verification& Admission::verification_of(const TileConfig& config) const {
  return answers_.at(to_string(config)).verification;
}

}  // namespace tilewright
