// A LaunchTimer of two CUDA events around the launches, with the stream held while the host
// enqueues them.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/launch/launch_timer.hpp"
#include "gpu/launch/stream_hold.hpp"

namespace tilewright {

/// Times launches on the device that was current when it was made.
///
///   stream: | wait for the host | event | launches | event |
///
/// The host takes longer to enqueue a short kernel than this takes to run, so without the hold the
/// time would be the host's. Where the driver has no such hold, the times are taken without it.
class EventTimer : public LaunchTimer {
 public:
  EventTimer() = default;
  /// All streams have passed their holds, or are gone.
  ~EventTimer() override;

  std::optional<int> time(void* stream, const std::function<void()>& launch) override;
  std::optional<double> take(int number) override;
  void drop(int number) override;

 private:
  // The events of one time, and the hold of its stream.
  struct Slot {
    explicit Slot(uint32_t* word) : hold(word) {}
    cudaEvent_t begin = nullptr;
    cudaEvent_t end = nullptr;
    StreamHold hold;
    ~Slot();
  };

  // After so many holds that were too long, streams are no longer held.
  static constexpr int kMaxLate = 3;

  uint32_t* word_of(size_t slot);
  int take_slot();
  Slot& slot(int number);
  void free_slot(int number);

  std::mutex mutex_;
  std::once_flag has_words_;
  uint32_t* words_ = nullptr;  // pinned; null without such memory
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<int> free_;
  std::atomic<int> late_count_ = 0;
};

}  // namespace tilewright
