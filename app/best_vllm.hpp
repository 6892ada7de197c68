// best --export vllm: files of launch parameters from the answers of a harness.
#pragma once

#include "console.hpp"
#include "options.hpp"

namespace tilewright {

/// Writes the files and their evidence into the folder of -o, which is created, and prints their
/// paths. Files of the same names are replaced.
ExitCode export_vllm_files(const BestOptions& options, Console& console);

}  // namespace tilewright
