// A report's section on a store: a row per problem, which opens to its fastest configs.
#pragma once

#include <string>

#include "page/report_page.hpp"
#include "page/store_summary.hpp"

namespace tilewright {

/// `source` is the file's name. The first kMaxPictures rows open to a map of times over tile and
/// raster; the map of a single problem stands above the table.
PageSection store_section(const StoreSummary& summary, const std::string& source);

}  // namespace tilewright
