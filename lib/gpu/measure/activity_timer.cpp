#include "gpu/measure/activity_timer.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "base/error.hpp"
#include "gpu/compile/library_check.hpp"

namespace tilewright {
namespace {

// CUPTI's callbacks carry no user data, so the records of the one timer live here.
struct Records {
  std::mutex mutex;
  std::vector<KernelActivity> kernels;
};

Records& records() {
  static Records instance;
  return instance;
}

constexpr size_t kBufferBytes = 1 << 20;
constexpr size_t kBufferAlignment = 8;

void CUPTIAPI give_buffer(uint8_t** buffer, size_t* size, size_t* record_limit) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = kBufferBytes;
  *record_limit = 0;
}

void CUPTIAPI read_buffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid_bytes) {
  Records& all = records();
  const std::lock_guard lock(all.mutex);
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    const auto* const kernel = reinterpret_cast<const CUpti_ActivityKernel10*>(record);
    all.kernels.push_back({kernel->name != nullptr ? kernel->name : "", kernel->start, kernel->end,
                           static_cast<int>(kernel->deviceId)});
  }
  std::free(buffer);
}

}  // namespace

ActivityTimer::ActivityTimer() {
  TW_CHECK(cuptiActivityRegisterCallbacks(give_buffer, read_buffer));
  TW_CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
}

ActivityTimer::~ActivityTimer() {
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  Records& all = records();
  const std::lock_guard lock(all.mutex);
  all.kernels.clear();
}

std::vector<KernelActivity> ActivityTimer::take() {
  TW_CHECK(cudaDeviceSynchronize());
  TW_CHECK(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  Records& all = records();
  std::vector<KernelActivity> kernels;
  {
    const std::lock_guard lock(all.mutex);
    kernels.swap(all.kernels);
  }
  std::sort(kernels.begin(), kernels.end(),
            [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  return kernels;
}

}  // namespace tilewright
