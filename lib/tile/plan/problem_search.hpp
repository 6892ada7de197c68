// The search of a group's workers for the problem of each of their units: where the tiles of each
// problem begin, and the device's steps.
#pragma once

#include <cstdint>
#include <vector>

#include "tile/plan/plan.hpp"

namespace tilewright {

/// The index of each problem's first tile among the tiles of all problems, in scheduling order.
/// CUTLASS's host table stores it beside the problem, as its "problem starting tile".
std::vector<int64_t> starting_tiles(const Plan& plan);

/// One search of a worker's warp for the problem of a unit; each of its 32 lanes holds a problem.
struct ProblemSearchStep {
  int64_t unit = 0;     // index among the units of all problems
  int prefix_sums = 0;  // over 32 problems each; 0 where those of the previous search suffice
  int first_place = 0;  // lane 0's problem, by place in scheduling order
  int lane = 0;         // the lane that holds the unit's problem
  int64_t start = 0;    // the problem's first unit
  bool operator==(const ProblemSearchStep&) const = default;
};

/// Every worker's searches in order, by the class that kernels use. The plan must be device-only;
/// shares of stream-K tiles are found by k-steps and not included.
std::vector<std::vector<ProblemSearchStep>> problem_search_steps(const Plan& plan);

}  // namespace tilewright
