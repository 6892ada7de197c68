// Where the files that come with the program lie: installed, unpacked from a bundle, or built.
#pragma once

#include <filesystem>
#include <string_view>

namespace tilewright {

/// The presets folder that belongs to an executable in `bin`: ../share/tilewright/presets, then
/// share/tilewright/presets and presets beside it or one up; else the source tree's. Empty when
/// there is none.
std::filesystem::path presets_folder(const std::filesystem::path& bin);

/// The presets folder of this process. Throws an environment error when there is none.
std::filesystem::path presets_folder();

/// The file that a user's path means: itself when it exists, else the same path (with or without a
/// leading "presets/", with or without ".yaml") in the presets folder or its subfolder `kind`. A
/// path found nowhere comes back unchanged, so that reading it names what the user wrote.
std::filesystem::path find_preset(std::string_view path, std::string_view kind);

}  // namespace tilewright
