// The path of the running program.
#pragma once

#include <filesystem>

namespace tilewright {

/// The folder of the program's file, links resolved; "." where it cannot be read.
std::filesystem::path program_folder();

}  // namespace tilewright
