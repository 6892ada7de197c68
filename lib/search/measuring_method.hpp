// How times were measured.
#pragma once

#include <string>

namespace tilewright {

/// How a Runner gets its numbers, for tuned files and reports.
struct MeasuringMethod {
  std::string timer;      // "cupti-activity"
  std::string regime;     // "rotating buffers, 198 MB of operands"
  std::string data;       // "uniform [-1, 1), seed 1"
  std::string reference;  // "cublasLt 13.1.0, 64 MiB workspace"
  bool operator==(const MeasuringMethod&) const = default;
};

}  // namespace tilewright
