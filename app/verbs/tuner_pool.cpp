#include "verbs/tuner_pool.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "request/job.hpp"
#include "search/problem_assignment.hpp"

namespace tilewright {

// Prints one tuner's lines between those of the others.
class TunerPool::Notes : public ProgressListener {
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

TunerPool::TunerPool(const TuneRequest& request, const std::vector<ResolvedDevice>& devices,
                     const TunePolicy& policy, const RecordStore& earlier, Console& console,
                     ProgressBar& bar)
    : spec_(devices.front().spec), console_(console), bar_(bar) {
  tuners_.reserve(devices.size());
  for (const ResolvedDevice& device : devices) {
    tuners_.push_back(std::make_unique<DeviceTuner>(request, device, policy, earlier, console.err));
  }
}

const DeviceTuner* TunerPool::find(const std::function<bool(const DeviceTuner&)>& is_it) const {
  const auto tuner = std::find_if(tuners_.begin(), tuners_.end(),
                                  [&is_it](const auto& one) { return is_it(*one); });
  return tuner == tuners_.end() ? nullptr : tuner->get();
}

void TunerPool::enqueue(std::vector<Task> tasks, size_t total) {
  total_ = total;
  if (tuners_.size() == 1) {
    // A single device does all tasks, in the user's order.
    tasks_ = std::move(tasks);
    return;
  }
  std::vector<double> seconds;
  seconds.reserve(tasks.size());
  for (const Task& task : tasks) seconds.push_back(tuning_seconds(task.problem, spec_));
  tasks_.reserve(tasks.size());
  for (const size_t i : longest_first(seconds)) tasks_.push_back(std::move(tasks[i]));
}

std::optional<TunerPool::Task> TunerPool::upcoming() {
  const std::lock_guard held(mutex_);
  for (Task& task : tasks_) {
    if (task.tuner != nullptr || task.is_announced) continue;
    task.is_announced = true;
    return task;
  }
  return std::nullopt;
}

void TunerPool::run(const Job& job) {
  if (tuners_.size() == 1) {
    attend(*tuners_.front(), job);
  } else {
    bar_.subject(format("{} GPUs", tuners_.size()));
    bar_.begin("tune", std::ssize(tasks_));
    std::vector<std::thread> threads;
    threads.reserve(tuners_.size());
    for (const auto& tuner : tuners_) threads.emplace_back([&] { attend(*tuner, job); });
    for (std::thread& thread : threads) thread.join();
  }
  bar_.clear();
  if (failure_) std::rethrow_exception(failure_);
}

std::unique_lock<std::mutex> TunerPool::lock() {
  std::unique_lock held(mutex_);
  bar_.clear();
  return held;
}

ExitCode TunerPool::report_disturbances() {
  for (const auto& tuner : tuners_) code_ = tuner->report_disturbances(code_);
  return code_;
}

bool TunerPool::next(const DeviceTuner& tuner, Task& task) {
  const std::lock_guard held(mutex_);
  if (code_ == ExitCode::Interrupted) return false;
  const auto waits_for = [this](const DeviceTuner* whom) {
    return std::find_if(tasks_.begin(), tasks_.end(),
                        [whom](const Task& waiting) { return waiting.tuner == whom; });
  };
  auto taken = waits_for(&tuner);
  if (taken == tasks_.end()) taken = waits_for(nullptr);
  if (taken == tasks_.end()) return false;
  task = std::move(*taken);
  tasks_.erase(taken);
  return true;
}

// An error that ends one device leaves the others running.
void TunerPool::attend(DeviceTuner& tuner, const Job& job) {
  try {
    Task task;
    bool has_task = next(tuner, task);
    if (!has_task) return;
    if (const std::string words = tuner.first_words(); !words.empty()) {
      const auto held = lock();
      console_.note(words);
    }
    for (; has_task; has_task = next(tuner, task)) work(tuner, task, job);
  } catch (const std::exception& error) {
    const auto held = lock();
    if (tuners_.size() > 1)
      console_.note(format("{}: the other GPUs continue", as_error(error).what()));
    if (!failure_) failure_ = std::current_exception();
  }
}

void TunerPool::work(DeviceTuner& tuner, const Task& task, const Job& job) {
  try {
    throw_if_interrupted();
    if (tuners_.size() > 1) {
      Notes notes(bar_, mutex_);
      job(tuner, task, notes);
      const auto held = lock();
      bar_.advance(++done_, 0);
    } else {
      bar_.subject(
          format("{} ({} of {})", short_name(task.problem), total_ - tasks_.size(), total_));
      job(tuner, task, bar_);
    }
  } catch (const std::exception& error) {
    const auto held = lock();
    if (!costs_its_problem(task, error)) throw;
  }
}

// Reports an error if it ends only one problem; otherwise returns false.
bool TunerPool::costs_its_problem(const Task& task, const std::exception& error) {
  if (is_internal(error)) {
    console_.note(internal_error_line(task.problem, error));
    code_ = std::max(code_, ExitCode::Internal);
    return true;
  }
  const ExitCode code = as_error(error).code();
  if (code == ExitCode::No || code == ExitCode::WrongResult) {
    console_.note(format("tilewright: {}", error.what()));
  } else if (code != ExitCode::Interrupted) {
    return false;
  }
  code_ = std::max(code_, code);
  return true;
}

}  // namespace tilewright
