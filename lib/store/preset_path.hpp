// Finds the presets that ship with the program, whether it is installed, unpacked from a bundle, or
// run from a build folder.
#pragma once

#include <filesystem>
#include <string_view>

namespace tilewright {

/// The presets folder of an executable in the folder `bin`: ../share/tilewright/presets,
/// share/tilewright/presets, presets or ../presets, relative to `bin`; else the source tree's.
/// Empty if there is none.
std::filesystem::path presets_folder(const std::filesystem::path& bin);

/// The presets folder of this process. Throws an environment error if there is none.
std::filesystem::path presets_folder();

/// Resolves a user's path: the path itself if it exists, else the same path (with or without a
/// leading "presets/", with or without ".yaml") in the presets folder or its subfolder `kind`. If
/// neither exists, returns the path unchanged, so that the error of reading it names what the user
/// wrote.
std::filesystem::path find_preset(std::string_view path, std::string_view kind);

}  // namespace tilewright
