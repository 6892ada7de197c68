// The software and method behind an answer's times: times of two drivers or libraries differ.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "search/measuring_method.hpp"

namespace tilewright {

/// The software besides the kernels. Empty: unknown, as in files that do not record it.
struct Software {
  std::string driver;    // "580.95.05, CUDA 13.0": its own version, and the newest CUDA it serves
  std::string runtime;   // "13.0"
  std::string compiler;  // "NVRTC 13.0.88"
  std::string library;   // "cublasLt 13.1.0"
  bool operator==(const Software&) const = default;
};

/// Parses Backend::versions(); a field without a line stays unknown.
Software software_of(std::string_view versions);

/// How one measured answer came about.
struct Origin {
  std::string tool_version;
  Software software;
  MeasuringMethod method;
  int64_t rounds = 0;  // of the final comparison
  bool operator==(const Origin&) const = default;
};

}  // namespace tilewright
