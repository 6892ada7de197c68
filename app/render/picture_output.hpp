// Output of the subjects of draw: checks the file, draws, then writes the whole file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "draw/picture.hpp"
#include "request/options.hpp"

namespace tilewright {

/// Calls `make` once, and writes its drawing as the options require. Returns lines for `err`.
/// Throws a usage error for a bad option and for a file that cannot be written, both before it
/// calls `make`.
std::vector<std::string> write_scene(const PictureOptions& options,
                                     const std::function<Drawing()>& make);

}  // namespace tilewright
