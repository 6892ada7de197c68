// The section of a report for the answers of harnesses.
#pragma once

#include <string>

#include "page/report_page.hpp"
#include "store/best_table.hpp"

namespace tilewright {

/// A row for each problem and harness; `source` is the artefact's file.
PageSection foreign_section(const Artefact& artefact, const std::string& source);

}  // namespace tilewright
