// What a run of the gate adds to its history.
#pragma once

#include <string>

#include "store/gate_history.hpp"

namespace tilewright {

/// Adds the run, with this time and what git says of the folder that the program was started in, as
/// the last line of a file.
void append_history(const std::string& path, HistoryRun run);

}  // namespace tilewright
