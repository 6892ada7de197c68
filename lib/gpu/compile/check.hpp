// Every CUDA call passes through here: a status that is not success becomes an Error with the
// call's text.
#pragma once

#include <cublasLt.h>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <nvrtc.h>

namespace tilewright {

/// Throws an environment error "<call>: <what CUDA says>" unless `status` is success.
void check_status(cudaError_t status, const char* call);
void check_status(CUresult status, const char* call);
void check_status(nvrtcResult status, const char* call);
void check_status(cublasStatus_t status, const char* call);
void check_status(CUptiResult status, const char* call);

}  // namespace tilewright

#define TW_CHECK(call) ::tilewright::check_status((call), #call)
