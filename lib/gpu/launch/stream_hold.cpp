#include "gpu/launch/stream_hold.hpp"

#include <cuda.h>

#include <chrono>
#include <csignal>
#include <system_error>

namespace tilewright {
namespace {

using WaitValue = CUresult (*)(CUstream, CUdeviceptr, cuuint32_t, unsigned);

// Null if the driver lacks it. Through the runtime, so that nothing links with the driver.
WaitValue find_wait_value() {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
  constexpr unsigned kVersion = 12000;
  const cudaError_t status = cudaGetDriverEntryPointByVersion("cuStreamWaitValue32", &found,
                                                              kVersion, cudaEnableDefault, &result);
  if (status == cudaSuccess && result == cudaDriverEntryPointSuccess) {
    return reinterpret_cast<WaitValue>(found);
  }
  cudaGetLastError();  // clears the error
  return nullptr;
}

WaitValue wait_value() {
  static const WaitValue function = find_wait_value();
  return function;
}

}  // namespace

StreamHold::~StreamHold() {
  release();
}

void StreamHold::let_go() {
  std::atomic_ref(*word_).store(turn_, std::memory_order_release);
}

// A stream may still wait for the word's last turn: numbers that rise release it too.
bool StreamHold::begin(cudaStream_t stream) {
  if (word_ == nullptr || wait_value() == nullptr) return false;
  ++turn_;
  is_released_ = false;
  // The program's handlers of signals do not expect a thread of this library.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    guard_ = std::thread([this] {
      std::unique_lock<std::mutex> lock(mutex_);
      const auto most = std::chrono::milliseconds(kMaxMs);
      if (released_.wait_for(lock, most, [this] { return is_released_; })) return;
      let_go();
    });
  } catch (const std::system_error&) {
    is_released_ = true;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!guard_.joinable()) return false;
  // With unified addresses the device reads host memory at the host's address.
  const CUresult status =
      wait_value()(stream, reinterpret_cast<CUdeviceptr>(word_), turn_, CU_STREAM_WAIT_VALUE_GEQ);
  if (status == CUDA_SUCCESS) return true;
  release();
  return false;
}

bool StreamHold::release() {
  if (!guard_.joinable()) return true;
  bool was_held = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    was_held = std::atomic_ref(*word_).load(std::memory_order_relaxed) != turn_;
    let_go();
    is_released_ = true;
  }
  released_.notify_one();
  guard_.join();
  return was_held;
}

}  // namespace tilewright
