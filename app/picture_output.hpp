// What the subjects of draw have in common: the file is checked, then drawn, then written whole.
#pragma once

#include <functional>
#include <string>

#include "base/error.hpp"
#include "console.hpp"
#include "draw/picture.hpp"
#include "options.hpp"

namespace tilewright {

/// Writes what the drawing that `make` returns draws, as the options have it; `make` runs once.
/// Throws a usage error for a bad option and for a file that cannot be written, before that.
ExitCode write_scene(const PictureOptions& options, const std::function<Drawing()>& make,
                     Console& console);

/// True where the file's extension asks for a picture.
bool is_picture(const std::string& path);

}  // namespace tilewright
