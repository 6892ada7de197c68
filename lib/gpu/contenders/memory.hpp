// Device memory that frees itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tilewright {

/// A device allocation of `bytes`, 256-byte aligned. Throws an environment error when there is no
/// room.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(size_t bytes);
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DeviceBuffer();

  void* get() const { return data_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

/// Copies `bytes` from the device; waits for earlier work.
void copy_to_host(void* host, const void* device, size_t bytes);
void copy_to_device(void* device, const void* host, size_t bytes);

}  // namespace tilewright
