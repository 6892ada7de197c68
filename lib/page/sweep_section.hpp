// A sweep as a part of a report: its chart, and a value of the parameter a row.
#pragma once

#include <string>

#include "base/sweep.hpp"
#include "page/report_page.hpp"

namespace tilewright {

/// `source` is the file's name. The sweep has a number.
PageSection sweep_section(const Sweep& sweep, const std::string& source);

}  // namespace tilewright
