// The gate's history as a part of a report: a case a row, its runs a chart, and what changed.
#pragma once

#include <span>
#include <string>

#include "page/report_page.hpp"
#include "store/gate_history.hpp"

namespace tilewright {

/// `runs` in the order of time. Of a case counts the ratio to the reference library, and where no
/// run has one, the predicted time. Runs of other suites, modes, devices and branches are rows of
/// their own.
PageSection history_section(std::span<const HistoryRun> runs, const std::string& source);

}  // namespace tilewright
