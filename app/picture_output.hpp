// What the subjects of draw have in common: the file is checked, then drawn, then written whole.
#pragma once

#include <functional>
#include <string>

#include "base/error.hpp"
#include "console.hpp"
#include "draw/scene.hpp"

namespace tilewright {

/// Writes the scene that `make` returns. Throws a usage error for a file that cannot be written,
/// before `make` runs.
ExitCode write_scene(const std::string& output, const std::function<Scene()>& make,
                     Console& console);

}  // namespace tilewright
