// `analyze layout` as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layout/algebra/layout_comparison.hpp"
#include "layout/algebra/linear_layout.hpp"
#include "layout/smem/layout_access.hpp"
#include "layout/smem/wgmma_layout.hpp"
#include "layout/text/layout_report.hpp"

namespace tilewright {

/// What the options add to the report; absent parts have no keys.
struct LayoutJsonParts {
  std::optional<int64_t> element_bits;
  std::optional<LayoutComparison> comparison;
  std::optional<LinearLayout> linear;
  std::optional<std::vector<std::string>> steps;
  std::optional<std::vector<IntTuple>> offsets;  // in colexicographic order
  std::optional<LayoutAccess> access;
  std::optional<WgmmaMatch> wgmma;
};

/// The report as one JSON object, indented, with a final newline; coordinates are nested lists.
std::string layout_json(const LayoutReport& report, const LayoutJsonParts& parts);

}  // namespace tilewright
