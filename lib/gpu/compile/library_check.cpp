#include "gpu/compile/library_check.hpp"

namespace tilewright {

void check_status(nvrtcResult status, const char* call) {
  if (status != NVRTC_SUCCESS) throw failed_call(call, nvrtcGetErrorString(status));
}

void check_status(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) throw failed_call(call, cublasLtGetStatusString(status));
}

void check_status(CUptiResult status, const char* call) {
  if (status == CUPTI_SUCCESS) return;
  const char* what = nullptr;
  cuptiGetResultString(status, &what);
  throw failed_call(call, what != nullptr ? what : "unknown CUPTI error");
}

}  // namespace tilewright
