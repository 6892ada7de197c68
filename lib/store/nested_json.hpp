// `analyze nested` as JSON.
#pragma once

#include <string>

#include "layout/text/nested_report.hpp"

namespace tilewright {

/// {"layout", "vector_shape", "distributed_shape", "subgroup_ids", "thread_ids", ...}, indented,
/// with a final newline; "elements" where the report has a thread.
std::string nested_json(const NestedReport& report);

}  // namespace tilewright
