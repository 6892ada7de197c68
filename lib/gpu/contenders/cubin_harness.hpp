// Launches the kernels of a manifest of cubins.
#pragma once

#include <memory>
#include <string>

#include "harness/cubin_manifest.hpp"
#include "harness/harness_file.hpp"

namespace tilewright {

/// A manifest on the current device; a cubin is loaded when a config first needs it.
std::unique_ptr<HarnessFile> open_cubin_harness(CubinManifest manifest);

}  // namespace tilewright
