// Sources that the program contains: a kernel as one file, and the host code that serves kernels.
#pragma once

#include <map>
#include <string>

#include "tile/config/kernel_source.hpp"

namespace tilewright {

/// The program's source with each header in place of its first #include, so that nvcc compiles it
/// alone.
std::string standalone_text(const KernelSource& source);

/// Path and text of every file of lib/ and kernels/ that the library of lib/serve is built from:
/// all that it includes, and the sources that begin by including one of these headers.
std::map<std::string, std::string> library_sources();

/// The text of a file of lib/, by its path in it.
std::string source_text(const std::string& path);

}  // namespace tilewright
