#include "gpu/launch/device_words.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>

#include "gpu/launch/check.hpp"
#include "gpu/launch/device_guard.hpp"

namespace tilewright {
namespace {

// In a stream of its own: the default stream would wait for streams that are captured, and cannot.
void copy_and_wait(void* to, const std::vector<int>& words) {
  cudaStream_t stream = nullptr;
  TW_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const size_t bytes = words.size() * sizeof(int);
  const cudaError_t started =
      cudaMemcpyAsync(to, words.data(), bytes, cudaMemcpyHostToDevice, stream);
  const cudaError_t finished = cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  check_status(started, "cudaMemcpyAsync");
  check_status(finished, "cudaStreamSynchronize");
}

}  // namespace

DeviceWords::DeviceWords(const std::vector<int>& words) {
  const CaptureModeGuard capture_guard;
  DeviceWords made;  // frees the memory if the copy fails
  made.bytes_ = static_cast<int64_t>(words.size() * sizeof(int));
  TW_CHECK(cudaMalloc(reinterpret_cast<void**>(&made.data_), words.size() * sizeof(int)));
  copy_and_wait(made.data_, words);
  *this = std::move(made);
}

// After a fault of a kernel, and at the end of the process, CUDA refuses every call: then the
// memory is gone anyway.
DeviceWords::~DeviceWords() {
  if (data_ == nullptr) return;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  cudaThreadExchangeStreamCaptureMode(&mode);
  cudaFree(data_);
  cudaThreadExchangeStreamCaptureMode(&mode);
}

}  // namespace tilewright
