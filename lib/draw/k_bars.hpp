// Output tiles as bars along K, cut into the parts of their CTAs, with arrows for waiting.
//
//   (0,1) [ 3 |    4    | 5 ]
//           \_>__/ \_>__/       4 adds after 3, 5 after 4
#pragma once

#include <vector>

#include "draw/assignment_grids.hpp"
#include "draw/diagram_page.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// Most bars of one picture.
inline constexpr size_t kMaxBars = 2048;

/// One bar per tile. Above 128 bars, only divided tiles and tiles with gaps are drawn, or, if there
/// are none, evenly chosen ones. Gaps are k-steps that a schedule from a file never computes; they
/// are hatched. An arrow goes from a part to the part that waits for it. Parts that do not wait for
/// each other are joined by a line where they are summed. Bars too thin for arrows have none.
/// Throws a usage error for more divided tiles than kMaxBars.
PageBlock k_bars(const Plan& plan, const std::vector<DealtUnit>& units, double width);

/// Explains the arrows or lines, colours left out; empty where no tile is divided.
std::vector<LegendEntry> k_bars_legend(const Plan& plan, const std::vector<DealtUnit>& units);

/// True where a CTA computes a part of an output tile.
bool has_parts(const Plan& plan, const std::vector<DealtUnit>& units);

}  // namespace tilewright
