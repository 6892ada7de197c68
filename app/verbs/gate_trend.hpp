// Appends a run of the gate to its history file.
#pragma once

#include <string>

#include "store/gate_history.hpp"

namespace tilewright {

/// Appends the run as the last line of the file, with the present time and git's state of the
/// working folder.
void append_history(const std::string& path, HistoryRun run);

}  // namespace tilewright
