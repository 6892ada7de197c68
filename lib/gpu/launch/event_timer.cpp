#include "gpu/launch/event_timer.hpp"

#include <cstring>
#include <utility>

#include "gpu/launch/check.hpp"

namespace tilewright {

EventTimer::Slot::~Slot() {
  if (begin != nullptr) cudaEventDestroy(begin);
  if (end != nullptr) cudaEventDestroy(end);
}

EventTimer::~EventTimer() {
  slots_.clear();
  if (words_ != nullptr) cudaFreeHost(words_);
}

// Null beyond the words of one page. Words are far apart, since the device polls them.
uint32_t* EventTimer::word_of(size_t slot) {
  constexpr size_t kPageBytes = 4096;
  constexpr size_t kApart = 16;
  std::call_once(has_words_, [this] {
    void* memory = nullptr;
    if (cudaHostAlloc(&memory, kPageBytes, cudaHostAllocMapped | cudaHostAllocPortable) ==
        cudaSuccess) {
      std::memset(memory, 0, kPageBytes);
      words_ = static_cast<uint32_t*>(memory);
    } else {
      cudaGetLastError();  // clears the error
    }
  });
  const size_t word = slot * kApart;
  return words_ != nullptr && word < kPageBytes / sizeof(*words_) ? words_ + word : nullptr;
}

int EventTimer::take_slot() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!free_.empty()) {
    const int number = free_.back();
    free_.pop_back();
    return number;
  }
  auto made = std::make_unique<Slot>(word_of(slots_.size()));
  TW_CHECK(cudaEventCreate(&made->begin));
  TW_CHECK(cudaEventCreate(&made->end));
  slots_.push_back(std::move(made));
  return static_cast<int>(slots_.size()) - 1;
}

EventTimer::Slot& EventTimer::slot(int number) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return *slots_.at(static_cast<size_t>(number));
}

void EventTimer::free_slot(int number) {
  const std::lock_guard<std::mutex> lock(mutex_);
  free_.push_back(number);
}

std::optional<int> EventTimer::time(void* stream, const std::function<void()>& launch) {
  const int number = take_slot();
  Slot& own = slot(number);
  auto* const in = static_cast<cudaStream_t>(stream);
  const bool is_held = late_count_.load(std::memory_order_relaxed) < kMaxLate && own.hold.begin(in);
  bool is_timed = cudaEventRecord(own.begin, in) == cudaSuccess;
  try {
    launch();
  } catch (...) {
    own.hold.release();
    free_slot(number);
    throw;
  }
  is_timed = cudaEventRecord(own.end, in) == cudaSuccess && is_timed;
  if (is_held && !own.hold.release()) {
    // Something in this process makes launches wait, and may do so again.
    late_count_.fetch_add(1, std::memory_order_relaxed);
    is_timed = false;
  }
  if (is_timed) return number;
  cudaGetLastError();  // clears the error
  free_slot(number);
  return std::nullopt;
}

std::optional<double> EventTimer::take(int number) {
  Slot& own = slot(number);
  const cudaError_t status = cudaEventQuery(own.end);
  if (status == cudaErrorNotReady) {
    cudaGetLastError();  // clears the error
    return std::nullopt;
  }
  float ms = 0;
  const bool is_there =
      status == cudaSuccess && cudaEventElapsedTime(&ms, own.begin, own.end) == cudaSuccess;
  if (!is_there) cudaGetLastError();
  free_slot(number);
  constexpr double kUsPerMs = 1000;
  return is_there ? ms * kUsPerMs : 0;
}

void EventTimer::drop(int number) {
  free_slot(number);
}

}  // namespace tilewright
