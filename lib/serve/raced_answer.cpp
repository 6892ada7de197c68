#include "serve/raced_answer.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/launch/device_guard.hpp"
#include "serve/race_text.hpp"

namespace tilewright {
namespace {

std::vector<RaceCandidate> joined(RaceCandidate plain, std::vector<RaceCandidate> rivals) {
  rivals.insert(rivals.begin(), std::move(plain));
  return rivals;
}

}  // namespace

RacedAnswer::RacedAnswer(RaceTrack track, RequestKey key, std::string product, RaceCandidate plain,
                         std::vector<RaceCandidate> rivals)
    : track_(track),
      key_(std::move(key)),
      product_(std::move(product)),
      candidates_(joined(std::move(plain), std::move(rivals))),
      calls_(static_cast<int>(candidates_.size()), track.timer),
      found_(track.file.find(product_)) {
  candidates_.front().name = kPlainName;
  for (const RaceCandidate& candidate : candidates_) {
    workspace_bytes_ = std::max(workspace_bytes_, candidate.workspace_bytes);
  }
  if (!found_) return;
  const auto winner = std::find_if(
      candidates_.begin(), candidates_.end(),
      [this](const RaceCandidate& candidate) { return candidate.name == found_->winner; });
  if (winner == candidates_.end()) {
    found_.reset();  // the short list has changed
  } else {
    settled_ = static_cast<int>(winner - candidates_.begin());
  }
}

std::shared_ptr<const ServedAnswer> RacedAnswer::ready(int candidate) {
  const std::lock_guard<std::mutex> lock(mutex_);
  RaceCandidate& own = candidates_[static_cast<size_t>(candidate)];
  if (own.ready) return own.ready;
  auto made = std::make_shared<ServedAnswer>();
  if (const std::string why = track_.device.make_own(key_, *own.choice, *made); !why.empty()) {
    throw environment_error(why);
  }
  if (made->workspace.bytes() > own.workspace_bytes) {
    throw environment_error(
        format("it needs {} bytes of workspace on this device, and {} are reported",
               made->workspace.bytes(), own.workspace_bytes));
  }
  own.ready = std::move(made);
  return own.ready;
}

std::shared_ptr<const ServedAnswer> RacedAnswer::ready_for(int candidate, int64_t workspace_bytes) {
  std::shared_ptr<const ServedAnswer> answer = ready(candidate);
  if (answer->workspace.bytes() <= workspace_bytes) return answer;
  throw usage_error(format("workspace_bytes is {}, and the call needs {}", workspace_bytes,
                           answer->workspace.bytes()));
}

void RacedAnswer::launch(const GemmLaunch& launch, int64_t workspace_bytes) {
  const ServedAnswer* const running = running_.load(std::memory_order_acquire);
  if (running != nullptr && running->workspace.bytes() <= workspace_bytes) {
    return tilewright::launch(*running, launch);
  }
  const int settled = settled_.load(std::memory_order_acquire);
  if (settled >= 0) return launch_settled(settled, launch, workspace_bytes);
  if (!runs_now(launch.stream)) return launch_settled(0, launch, workspace_bytes);
  // Taking times would disturb a capture of another thread.
  const CaptureModeGuard capture_guard;
  launch_in_race(launch, workspace_bytes);
  if (calls_.winner() >= 0 && !is_settling_.exchange(true)) settle();
}

void RacedAnswer::launch_settled(int candidate, const GemmLaunch& launch, int64_t workspace_bytes) {
  if (candidate > 0) {
    try {
      const CaptureModeGuard capture_guard;
      const std::shared_ptr<const ServedAnswer> answer = ready(candidate);
      if (answer->workspace.bytes() <= workspace_bytes) {
        tilewright::launch(*answer, launch);
        return running_.store(answer.get(), std::memory_order_release);
      }
    } catch (const std::exception& error) {
      clear_launch_error();
      settled_.store(0, std::memory_order_release);
      const std::lock_guard<std::mutex> lock(mutex_);
      failure_ = error.what();
    }
  }
  tilewright::launch(*ready_for(0, workspace_bytes), launch);
}

void RacedAnswer::launch_in_race(const GemmLaunch& launch, int64_t workspace_bytes) {
  std::shared_ptr<const ServedAnswer> answer;
  const CandidateActions actions{
      .prepare = [&](int candidate) { answer = ready_for(candidate, workspace_bytes); },
      .launch = [&](int) { tilewright::launch(*answer, launch); },
      .clear = clear_launch_error};
  calls_.run(launch.stream, actions);
}

// Frees what the others hold on the host.
void RacedAnswer::settle() {
  const ProductRace race = calls_.snapshot();
  const auto winner = static_cast<size_t>(race.winner());
  track_.file.add(
      product_, {.winner = candidates_[winner].name, .ratio = race.ratio(), .calls = race.calls()});
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (size_t i = 1; i < candidates_.size(); ++i) {
      if (i != winner && candidates_[i].choice) candidates_[i].ready.reset();
    }
  }
  settled_.store(race.winner(), std::memory_order_release);
}

std::string RacedAnswer::text(const std::string& plain) const {
  std::vector<std::string> names;
  for (const RaceCandidate& candidate : candidates_) names.push_back(candidate.name);
  const std::lock_guard<std::mutex> lock(mutex_);
  const ProductRace race = calls_.snapshot();
  return race_text({.plain = plain,
                    .names = names,
                    .race = race,
                    .found = found_,
                    .winner_failure = failure_,
                    .file_trouble = track_.file.trouble()});
}

}  // namespace tilewright
