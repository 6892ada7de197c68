// The answers that a library remembers on one device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <unordered_map>

namespace tilewright {

struct AnswerLimits {
  size_t count = 0;
  int64_t device_bytes = 0;
};

/// Answers by request, safe to use from several threads. An answer holds device memory; a caller
/// that has it may use it also after it was dropped here.
template <class Key, class Answer, class Hash = std::hash<Key>>
class AnswerMemory {
 public:
  using Shared = std::shared_ptr<const Answer>;

  explicit AnswerMemory(AnswerLimits limits) : limits_(limits) {}

  /// Null if there is none.
  Shared find(const Key& key) const {
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    const auto at = answers_.find(key);
    return at == answers_.end() ? nullptr : at->second;
  }

  /// Returns the answer that another thread has added meanwhile, else `made`, which holds
  /// `device_bytes`. Drops all others first if a limit would be passed.
  Shared add(const Key& key, const Shared& made, int64_t device_bytes) {
    Answers dropped;  // destroyed without the lock: releasing device memory waits for launches
    const std::lock_guard<std::shared_mutex> lock(mutex_);
    const auto at = answers_.find(key);
    if (at != answers_.end()) return at->second;
    if (answers_.size() >= limits_.count || device_bytes_ + device_bytes > limits_.device_bytes) {
      dropped.swap(answers_);
      device_bytes_ = 0;
    }
    device_bytes_ += device_bytes;
    return answers_.emplace(key, made).first->second;
  }

  /// Keeps an answer for good, also beyond the limits.
  void keep(const Shared& answer) {
    const std::lock_guard<std::shared_mutex> lock(mutex_);
    kept_.insert(answer);
  }

 private:
  using Answers = std::unordered_map<Key, Shared, Hash>;

  const AnswerLimits limits_;
  mutable std::shared_mutex mutex_;
  Answers answers_;
  int64_t device_bytes_ = 0;  // of answers_
  std::set<Shared> kept_;
};

}  // namespace tilewright
