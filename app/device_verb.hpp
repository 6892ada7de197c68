// The actions of the verb device; tests call them with made-up devices.
#pragma once

#include "base/error.hpp"
#include "console.hpp"
#include "devices.hpp"
#include "options.hpp"

namespace tilewright {

/// `device calibrate`: measures the rates of a GPU, shows them beside the preset's, and writes the
/// device file when there is an output. Throws an environment error for a preset.
ExitCode calibrate_device(const DeviceOptions& options, const ResolvedDevice& device,
                          Console& console);

/// `device doctor`: checks what the host offers, line by line; returns Environment when a
/// requirement is missing.
ExitCode diagnose_host(const DeviceOptions& options, Console& console, const BackendLoader& load);

}  // namespace tilewright
