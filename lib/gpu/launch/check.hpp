// Every CUDA call passes through here: a status that is not success becomes an Error with the
// call's text.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <string_view>

#include "base/error.hpp"

namespace tilewright {

/// The environment error "<call> failed: <what>".
Error failed_call(const char* call, std::string_view what);

/// Throws failed_call() with CUDA's error text unless `status` is success.
void check_status(cudaError_t status, const char* call);
void check_status(CUresult status, const char* call);

}  // namespace tilewright

#define TW_CHECK(call) ::tilewright::check_status((call), #call)
