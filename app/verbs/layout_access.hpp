// The memory part of `analyze layout`: --access, --threads and --as-wgmma.
#pragma once

#include <string>
#include <vector>

#include "base/check_expression.hpp"
#include "request/layout_request.hpp"
#include "store/layout_json.hpp"

namespace tilewright {

/// Adds the requested costs and matches.
void add_layout_access(const LayoutRequest& request, LayoutJsonParts& parts);

/// Adds wavefronts, conflicts, min, mean and max, for checks.
void add_access_numbers(const LayoutJsonParts& parts, std::vector<NamedNumber>& numbers);

/// The rows of the text report.
std::string access_rows(const LayoutJsonParts& parts);

}  // namespace tilewright
