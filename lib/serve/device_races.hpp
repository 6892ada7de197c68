// The races of one device.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "gpu/launch/event_timer.hpp"
#include "serve/answer_memory.hpp"
#include "serve/answer_policy.hpp"
#include "serve/race_file.hpp"
#include "serve/raced_answer.hpp"
#include "serve/served_device.hpp"

namespace tilewright {

/// Why the answer is not raced under a policy of races, as a sentence; empty if it is.
std::string why_not_raced(const RequestKey& key, const ShippedChoice& choice);

/// Safe to use from several threads, on which the device is current.
class DeviceRaces {
 public:
  /// Table and device outlive this. `identity` differs for libraries with different answers; a
  /// library without one keeps no winners.
  DeviceRaces(const AnswerTable& table, ServedDevice& device, std::string identity)
      : table_(table), device_(device), identity_(std::move(identity)) {}

  /// The race of a product with this plain answer; null if there is none.
  std::shared_ptr<RacedAnswer> race(AnswerPolicy policy, const RequestKey& key,
                                    const std::shared_ptr<const ServedAnswer>& plain);

  /// What race() found out about a product.
  struct Entry {
    std::shared_ptr<RacedAnswer> race;
    std::string why_not = {};  // if there is no race
  };
  /// Null before race() was called.
  std::shared_ptr<const Entry> find(AnswerPolicy policy, const RequestKey& key) const {
    return slots(policy).find(key);
  }

 private:
  using Slots = AnswerMemory<RequestKey, Entry, RequestHash>;

  static constexpr AnswerLimits kLimits{.count = 1 << 16, .device_bytes = 0};

  RaceFile& file();
  Entry make_entry(AnswerPolicy policy, const RequestKey& key,
                   const std::shared_ptr<const ServedAnswer>& plain);
  std::vector<RaceCandidate> rivals(AnswerPolicy policy, const RequestKey& key,
                                    const ServedAnswer& plain);
  Slots& slots(AnswerPolicy policy) { return policy == AnswerPolicy::Race ? any_ : bitwise_; }
  const Slots& slots(AnswerPolicy policy) const {
    return policy == AnswerPolicy::Race ? any_ : bitwise_;
  }

  const AnswerTable& table_;
  ServedDevice& device_;
  const std::string identity_;
  EventTimer timer_;
  std::once_flag is_read_;
  std::optional<RaceFile> file_;
  Slots any_{kLimits};
  Slots bitwise_{kLimits};
};

}  // namespace tilewright
