// Traces that tests read.
#pragma once

#include <string>

#include "base/files.hpp"
#include "store/measured_json.hpp"

namespace tilewright {

/// tests/data/made_up_trace.json.
inline RecordedTrace made_up_trace() {
  const std::string path = TILEWRIGHT_SOURCE_DIR "/tests/data/made_up_trace.json";
  return read_trace(read_file(path), path);
}

}  // namespace tilewright
