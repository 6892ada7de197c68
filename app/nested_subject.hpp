// The subject `nested` of analyze: options to a report.
#pragma once

#include "layout/text/nested_report.hpp"
#include "options.hpp"

namespace tilewright {

/// Parses, verifies and follows the layout. Throws a usage error.
NestedReport report_nested(const NestedOptions& options);

}  // namespace tilewright
