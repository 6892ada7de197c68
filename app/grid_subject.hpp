// The subject `grid` of analyze and draw: options to a report.
#pragma once

#include "options.hpp"
#include "tile/plan/grid_report.hpp"

namespace tilewright {

/// Proves the grid, and adds waves (with a device or --ctas) and predicted traffic (with a device,
/// --cta and --k). Throws a usage error for options that are bad or belong together.
GridReport report_grid(const GridOptions& options);

}  // namespace tilewright
