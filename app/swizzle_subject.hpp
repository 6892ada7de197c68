// The subject `swizzle` of analyze: options to a report.
#pragma once

#include "layout/smem/swizzle_report.hpp"
#include "options.hpp"

namespace tilewright {

/// Solves for the tile and patterns, or costs the swizzle of --swizzle. Throws a usage error.
SwizzleReport report_swizzle(const SwizzleOptions& options);

}  // namespace tilewright
