// The sources of the kernels, which the program holds as text.
#pragma once

#include <span>

namespace tilewright {

/// A file of kernels/: its path there, which is also its name in #include lines, and its text.
struct EmbeddedFile {
  const char* path;
  const char* text;
};

std::span<const EmbeddedFile> embedded_kernels();

}  // namespace tilewright
