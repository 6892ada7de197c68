// `analyze grid` as JSON.
#pragma once

#include <span>
#include <string>

#include "tile/plan/grid_report.hpp"

namespace tilewright {

/// The report as one JSON object, indented, with a final newline. With `order` not null, the key
/// "order" lists [m, n] by slot, null for overhang.
std::string grid_json(const GridReport& report, const std::vector<TileCoord>* order);

}  // namespace tilewright
