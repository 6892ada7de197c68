// Sources out of the program: a kernel as one file, and the host's code that serves kernels.
#pragma once

#include <map>
#include <string>

#include "tile/config/kernel_source.hpp"

namespace tilewright {

/// The program with its headers in it, where it first includes them: nvcc compiles it alone.
std::string standalone_text(const KernelSource& source);

/// Path and text of every file of lib/ and kernels/ that the library of lib/serve is built from:
/// what it includes, and the sources whose first include is one of these headers.
std::map<std::string, std::string> library_sources();

/// The text of a file of lib/, by its path there.
std::string source_text(const std::string& path);

}  // namespace tilewright
