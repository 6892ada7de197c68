// The memory part of `analyze layout`: --access, --threads and --as-wgmma.
#pragma once

#include <string>
#include <vector>

#include "base/check_expression.hpp"
#include "options.hpp"
#include "store/layout_json.hpp"

namespace tilewright {

/// Adds the costs and matches that the options request. Throws a usage error without --dtype.
void add_layout_access(const LayoutOptions& options, const ComposedLayout& layout,
                       LayoutJsonParts& parts);

/// Adds wavefronts, conflicts, min, mean and max, for checks.
void add_access_numbers(const LayoutJsonParts& parts, std::vector<NamedNumber>& numbers);

/// The rows of the text report.
std::string access_rows(const LayoutJsonParts& parts);

}  // namespace tilewright
