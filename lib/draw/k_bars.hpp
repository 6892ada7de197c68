// Output tiles as bars along K, cut into the parts of their CTAs, and who waits for whom.
//
//   (0,1) [ 3 |    4    | 5 ]
//           \_>__/ \_>__/       4 adds after 3, 5 after 4
#pragma once

#include <vector>

#include "draw/assignment_grids.hpp"
#include "draw/diagram_page.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// Bars of one picture.
inline constexpr size_t kMostBars = 2048;

/// One bar a tile; where that makes more than some, the divided tiles only, or evenly some of all
/// where none is divided. What a schedule from a file never computes is hatched. Arrows go from a
/// part to the one that waits for it; parts without a waiter are joined by a line where their
/// sum is made; bars too thin for arrows have none. Throws a usage error for more divided tiles
/// than kMostBars.
PageBlock k_bars(const Plan& plan, const std::vector<DealtUnit>& units, double width);

/// What the arrows or lines mean, colours left out; empty where no tile is divided.
std::vector<LegendEntry> k_bars_legend(const Plan& plan, const std::vector<DealtUnit>& units);

/// True where a CTA has a part of a wanted tile.
bool has_parts(const Plan& plan, const std::vector<DealtUnit>& units);

}  // namespace tilewright
