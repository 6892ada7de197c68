// Reads a manifest of cubins, schema `tilewright.cubins/1`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/cubin_manifest.hpp"

namespace tilewright {

/// Reads a manifest and the cubins that it names, whose paths begin in its folder. Throws a usage
/// error with the line and the key for an unknown key, a missing file, an expression that does not
/// parse or names nothing, and for arguments that differ from the parameters of a cubin's kernel in
/// number or size.
CubinManifest load_cubin_manifest(const std::string& file);

/// The keys of a manifest with their meanings, for `help harness`: of the file beside those of a
/// description, of a launch, a kernel and an argument.
struct ManifestKey {
  std::string_view part;  // "launches", "kernels", "arguments"; empty: of the file
  std::string_view key;
  std::string_view meaning;
  std::string_view example;  // its value
};
std::span<const ManifestKey> cubin_manifest_keys();

}  // namespace tilewright
