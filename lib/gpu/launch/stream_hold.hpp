// Holds a stream while the host enqueues work behind it.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace tilewright {

/// Holds one stream at a time.
class StreamHold {
 public:
  /// `word` is 0, in pinned host memory that outlives this; a null one holds nothing.
  explicit StreamHold(uint32_t* word) : word_(word) {}
  StreamHold(const StreamHold&) = delete;
  StreamHold& operator=(const StreamHold&) = delete;
  ~StreamHold();

  /// The stream does not run what is enqueued from now on before release(). Returns false, and
  /// holds nothing, if the driver lacks it or no thread can be made.
  ///
  /// A launch may block until the device is idle: the driver may do so to load a kernel, and does
  /// with CUDA_LAUNCH_BLOCKING. A thread therefore releases the stream after kMaxMs.
  bool begin(cudaStream_t stream);

  /// Releases the stream. Returns false if it was released before, after kMaxMs.
  bool release();

  static constexpr int kMaxMs = 10;

 private:
  void let_go();

  uint32_t* word_;  // the stream waits until it is at least turn_
  uint32_t turn_ = 0;
  std::thread guard_;
  std::mutex mutex_;
  std::condition_variable released_;
  bool is_released_ = true;
};

}  // namespace tilewright
