// A report's section on a sweep: its chart, and a row per value of the parameter.
#pragma once

#include <string>

#include "base/sweep.hpp"
#include "page/report_page.hpp"

namespace tilewright {

/// `source` is the file's name. The sweep must have at least one number.
PageSection sweep_section(const Sweep& sweep, const std::string& source);

}  // namespace tilewright
