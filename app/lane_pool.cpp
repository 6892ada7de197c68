#include "lane_pool.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "job.hpp"
#include "search/shares.hpp"

namespace tilewright {

// Lines of one lane among those of others.
class LanePool::Notes : public Progress {
 public:
  Notes(ProgressBar& bar, std::mutex& mutex) : bar_(bar), mutex_(mutex) {}
  void note(const std::string& line) override {
    const std::lock_guard lock(mutex_);
    bar_.note(line);
  }

 private:
  ProgressBar& bar_;
  std::mutex& mutex_;
};

LanePool::LanePool(const TuneOptions& options, const std::vector<ResolvedDevice>& devices,
                   const TunePolicy& policy, const RecordStore& earlier, Console& console,
                   ProgressBar& bar)
    : spec_(devices.front().spec), console_(console), bar_(bar) {
  lanes_.reserve(devices.size());
  for (const ResolvedDevice& device : devices) {
    lanes_.push_back(std::make_unique<TuneLane>(options, device, policy, earlier, console.err));
  }
}

const TuneLane* LanePool::find(const std::function<bool(const TuneLane&)>& is_it) const {
  const auto lane =
      std::find_if(lanes_.begin(), lanes_.end(), [&is_it](const auto& one) { return is_it(*one); });
  return lane == lanes_.end() ? nullptr : lane->get();
}

void LanePool::line_up(std::vector<Turn> turns, size_t places) {
  places_ = places;
  if (lanes_.size() == 1) {
    // Alone a device has to do them all, in the order that its user gave.
    turns_ = std::move(turns);
    return;
  }
  std::vector<double> seconds;
  seconds.reserve(turns.size());
  for (const Turn& turn : turns) seconds.push_back(tuning_seconds(turn.problem, spec_));
  turns_.reserve(turns.size());
  for (const size_t i : longest_first(seconds)) turns_.push_back(std::move(turns[i]));
}

std::optional<LanePool::Turn> LanePool::upcoming() {
  const std::lock_guard held(mutex_);
  for (Turn& turn : turns_) {
    if (turn.lane != nullptr || turn.is_told) continue;
    turn.is_told = true;
    return turn;
  }
  return std::nullopt;
}

void LanePool::run(const Job& job) {
  if (lanes_.size() == 1) {
    attend(*lanes_.front(), job);
  } else {
    bar_.subject(format("{} GPUs", lanes_.size()));
    bar_.begin("tune", std::ssize(turns_));
    std::vector<std::thread> threads;
    threads.reserve(lanes_.size());
    for (const auto& lane : lanes_) threads.emplace_back([&] { attend(*lane, job); });
    for (std::thread& thread : threads) thread.join();
  }
  bar_.clear();
  if (failure_) std::rethrow_exception(failure_);
}

std::unique_lock<std::mutex> LanePool::lock() {
  std::unique_lock held(mutex_);
  bar_.clear();
  return held;
}

ExitCode LanePool::look_back() {
  for (const auto& lane : lanes_) code_ = lane->look_back(code_);
  return code_;
}

bool LanePool::next(const TuneLane& lane, Turn& turn) {
  const std::lock_guard held(mutex_);
  if (code_ == ExitCode::Interrupted) return false;
  const auto waits_for = [this](const TuneLane* whom) {
    return std::find_if(turns_.begin(), turns_.end(),
                        [whom](const Turn& waiting) { return waiting.lane == whom; });
  };
  auto taken = waits_for(&lane);
  if (taken == turns_.end()) taken = waits_for(nullptr);
  if (taken == turns_.end()) return false;
  turn = std::move(*taken);
  turns_.erase(taken);
  return true;
}

// What ends one device leaves the others at work.
void LanePool::attend(TuneLane& lane, const Job& job) {
  try {
    Turn turn;
    bool has_turn = next(lane, turn);
    if (!has_turn) return;
    if (const std::string words = lane.first_words(); !words.empty()) {
      const auto held = lock();
      console_.say(words);
    }
    for (; has_turn; has_turn = next(lane, turn)) work(lane, turn, job);
  } catch (const std::exception& error) {
    const auto held = lock();
    if (lanes_.size() > 1) console_.say(format("{}: the other GPUs go on", error.what()));
    if (!failure_) failure_ = std::current_exception();
  }
}

void LanePool::work(TuneLane& lane, const Turn& turn, const Job& job) {
  try {
    throw_if_interrupted();
    if (lanes_.size() > 1) {
      Notes notes(bar_, mutex_);
      job(lane, turn, notes);
      const auto held = lock();
      bar_.advance(++done_, 0);
    } else {
      bar_.subject(
          format("{} ({} of {})", short_name(turn.problem), places_ - turns_.size(), places_));
      job(lane, turn, bar_);
    }
  } catch (const std::exception& error) {
    const auto held = lock();
    if (!costs_its_problem(turn, error)) throw;
  }
}

// Reports what leaves the other problems their answers.
bool LanePool::costs_its_problem(const Turn& turn, const std::exception& error) {
  if (is_internal(error)) {
    console_.say(internal_error_line(turn.problem, error));
    code_ = std::max(code_, ExitCode::Internal);
    return true;
  }
  const ExitCode code = dynamic_cast<const Error&>(error).code();
  if (code == ExitCode::No || code == ExitCode::WrongResult) {
    console_.say(format("tilewright: {}", error.what()));
  } else if (code != ExitCode::Interrupted) {
    return false;
  }
  code_ = std::max(code_, code);
  return true;
}

}  // namespace tilewright
