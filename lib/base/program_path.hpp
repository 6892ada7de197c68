// Where the running program lies.
#pragma once

#include <filesystem>

namespace tilewright {

/// The folder of the program's file, links resolved; "." where the system does not say.
std::filesystem::path program_folder();

}  // namespace tilewright
