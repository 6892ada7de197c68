#include "gpu/contenders/memory.hpp"

#include "gpu/launch/check.hpp"

namespace tilewright {

DeviceBuffer::DeviceBuffer(size_t bytes) : bytes_(bytes) {
  if (bytes > 0) TW_CHECK(cudaMalloc(&data_, bytes));
}

DeviceBuffer::~DeviceBuffer() {
  if (data_ != nullptr) cudaFree(data_);
}

void copy_to_host(void* host, const void* device, size_t bytes) {
  TW_CHECK(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
}

void copy_to_device(void* device, const void* host, size_t bytes) {
  TW_CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
}

}  // namespace tilewright
