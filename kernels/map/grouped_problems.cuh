// Grouped launches of problems that share only their types: each problem has its own sizes,
// operands and tensor maps.
#pragma once

#include "map/work_units.cuh"

namespace tw {

/// One problem in a kernel's arguments, with its tiles counted. Sizes are the kernel's: m and n are
/// exchanged where it computes the transposed product.
struct GroupedProblem {
  int number = 0;  // the user's index of the problem
  int m = 0;
  int n = 0;
  int slots = 0;
  int k_steps = 0;         // per tile, over all its phases
  int slices = 1;          // per tile
  int divided_before = 0;  // slots of earlier problems that have several slices per tile
  TileCoord clusters;
  long long ldd = 0;  // elements between rows of D and of C
  void* d = nullptr;
  const unsigned short* c = nullptr;
};

/// The problems in scheduling order, as GroupWork reads them.
struct GroupedProblems {
  const GroupedProblem* list = nullptr;

  constexpr ProblemWork<int> operator[](int problem) const {
    return {list[problem].slots, list[problem].k_steps, list[problem].slices};
  }
};

}  // namespace tw
