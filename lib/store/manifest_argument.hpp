// Reads the arguments of a launch in a manifest of cubins.
#pragma once

#include <span>

#include "harness/cubin_manifest.hpp"
#include "store/manifest_names.hpp"

namespace tilewright {

class YamlReader;

/// Adds a parameter and its arguments to the launch: one, or the fields of a struct. Throws a usage
/// error with the line and the key.
void read_manifest_parameter(const YamlReader& node, const ManifestNames& names,
                             std::span<const ManifestScratch> scratch, ManifestLaunch& launch);

}  // namespace tilewright
