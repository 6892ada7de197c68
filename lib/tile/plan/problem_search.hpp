// How the workers of a group find the problem of each of their units: the places where problems
// begin, and the device's search over them.
#pragma once

#include <cstdint>
#include <vector>

#include "tile/plan/plan.hpp"

namespace tilewright {

/// The place of each problem's first tile among the tiles of all, by place in scheduling order.
/// CUTLASS's host table names it beside the problem: its "problem starting tile".
std::vector<int64_t> starting_tiles(const Plan& plan);

/// One look of a worker's warp, whose 32 lanes each hold a problem, for the one that has a unit.
struct SearchStep {
  int64_t unit = 0;     // among those of all problems
  int prefix_sums = 0;  // over 32 problems each: 0 where those of the look before do
  int first_place = 0;  // in scheduling order, of the problem of lane 0
  int lane = 0;         // that has the unit
  int64_t start = 0;    // of the problem's units
  bool operator==(const SearchStep&) const = default;
};

/// Every worker's looks in its order, by the class that kernels search with. Of a device-only plan;
/// shares of streamed tiles are found by k-steps and left out.
std::vector<std::vector<SearchStep>> search_steps(const Plan& plan);

}  // namespace tilewright
