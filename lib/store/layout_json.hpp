// `analyze layout` as JSON.
#pragma once

#include <string>
#include <vector>

#include "layout/layout_report.hpp"

namespace tilewright {

/// The report as one JSON object, indented, with a final newline. With `offsets` not null, the key
/// "offsets" lists them in colexicographic order; coordinates are nested lists.
std::string layout_json(const LayoutReport& report, const std::vector<IntTuple>* offsets);

}  // namespace tilewright
