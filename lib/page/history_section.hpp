// A report's section on the gate's history: a row per case, a chart of its runs, and what changed.
#pragma once

#include <span>
#include <string>

#include "page/report_page.hpp"
#include "store/gate_history.hpp"

namespace tilewright {

/// `runs` must be in time order. A case is judged by the ratio to the reference library, or, if no
/// run has one, by the predicted time. Runs of another suite, mode, device or branch have rows of
/// their own.
PageSection history_section(std::span<const HistoryRun> runs, const std::string& source);

}  // namespace tilewright
