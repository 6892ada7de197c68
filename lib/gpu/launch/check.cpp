#include "gpu/launch/check.hpp"

#include "base/text.hpp"

namespace tilewright {

Error failed_call(const char* call, std::string_view what) {
  // The function's name is enough; its arguments are noise to a reader.
  const std::string_view text(call);
  return environment_error(format("{} failed: {}", text.substr(0, text.find('(')), what));
}

void check_status(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw failed_call(call, cudaGetErrorString(status));
}

void check_status(CUresult status, const char* call) {
  if (status == CUDA_SUCCESS) return;
  throw failed_call(call, format("driver error {}", static_cast<int>(status)));
}

}  // namespace tilewright
