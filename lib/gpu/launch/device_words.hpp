// Words in device memory that launches read, written once.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tilewright {

/// A copy of words in the memory of the device that is current at construction; null and empty by
/// default. May be made and destroyed while a stream is captured. Its destruction waits for the
/// device, so launches that were enqueued before may still read it.
class DeviceWords {
 public:
  DeviceWords() = default;
  /// Copies at least one word, and waits for that. Throws an environment error if CUDA refuses.
  explicit DeviceWords(const std::vector<int>& words);
  DeviceWords(DeviceWords&& other) noexcept { *this = std::move(other); }
  DeviceWords& operator=(DeviceWords&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DeviceWords();

  const int* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

 private:
  int* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace tilewright
