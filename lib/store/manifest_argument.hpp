// Reads an argument of a launch in a manifest of cubins.
#pragma once

#include <span>

#include "harness/cubin_manifest.hpp"
#include "store/manifest_names.hpp"

namespace tilewright {

class YamlReader;

/// Throws a usage error with the line and the key.
ManifestArgument read_manifest_argument(const YamlReader& node, const ManifestNames& names,
                                        std::span<const ManifestScratch> scratch);

}  // namespace tilewright
