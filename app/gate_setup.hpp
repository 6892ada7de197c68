// What gates of suites and of folders begin with: the threshold and the device.
#pragma once

#include <string>

#include "base/error.hpp"
#include "devices.hpp"
#include "options.hpp"

namespace tilewright {

/// The slowdown that fails, a fraction. Throws a usage error unless it is between 0 and 1.
double threshold_of(const GateOptions& options);

/// The device that the options name; host memory where they name "host".
ResolvedDevice resolve_gate_device(const GateOptions& options, const BackendLoader& load);

/// True for a folder; false also where the path cannot be looked up, so that reading it reports the
/// reason.
bool is_folder(const std::string& path);

/// The environment error that `what` needs a GPU and `device` has none.
Error needs_gpu(const std::string& what, const ResolvedDevice& device);

}  // namespace tilewright
