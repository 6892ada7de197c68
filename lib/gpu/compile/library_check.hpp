// TW_CHECK of gpu/launch/check.hpp for calls of NVRTC, cuBLASLt and CUPTI.
#pragma once

#include <cublasLt.h>
#include <cupti.h>
#include <nvrtc.h>

#include "gpu/launch/check.hpp"

namespace tilewright {

/// Throws failed_call() with the library's error text unless `status` is success.
void check_status(nvrtcResult status, const char* call);
void check_status(cublasStatus_t status, const char* call);
void check_status(CUptiResult status, const char* call);

}  // namespace tilewright
