#include "gpu/compile/check.hpp"

#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

// The function's name is enough; its arguments are noise to a reader.
Error failed(const char* call, std::string_view what) {
  const std::string_view text(call);
  return environment_error(format("{} failed: {}", text.substr(0, text.find('(')), what));
}

}  // namespace

void check_status(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw failed(call, cudaGetErrorString(status));
}

void check_status(CUresult status, const char* call) {
  if (status != CUDA_SUCCESS)
    throw failed(call, format("driver error {}", static_cast<int>(status)));
}

void check_status(nvrtcResult status, const char* call) {
  if (status != NVRTC_SUCCESS) throw failed(call, nvrtcGetErrorString(status));
}

void check_status(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) throw failed(call, cublasLtGetStatusString(status));
}

void check_status(CUptiResult status, const char* call) {
  if (status == CUPTI_SUCCESS) return;
  const char* what = nullptr;
  cuptiGetResultString(status, &what);
  throw failed(call, what != nullptr ? what : "unknown CUPTI error");
}

}  // namespace tilewright
