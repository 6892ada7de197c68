// gate FOLDER --harness MANIFEST: do the rows of vLLM's files still beat the default config?
#pragma once

#include "console.hpp"
#include "devices.hpp"
#include "options.hpp"

namespace tilewright {

/// Times each row of the folder's files for this device beside the harness's default config, in the
/// same rounds. Throws a usage error for other options than a folder takes, and an environment
/// error where no file is for this device.
ExitCode gate_vllm_folder(const GateOptions& options, Console& console, const BackendLoader& load);

}  // namespace tilewright
