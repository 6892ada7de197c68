// Groups whose problems share nothing but their types: each has sizes, operands and tensor maps of
// its own.
#pragma once

#include "map/work_units.cuh"

namespace tw {

/// One problem as a kernel is told of it, counted out: sizes of the kernel, m and n exchanged where
/// it computes the transposed product.
struct OwnProblem {
  int number = 0;  // the user's
  int m = 0;
  int n = 0;
  int slots = 0;
  int k_steps = 0;         // of a tile, all its phases
  int slices = 1;          // of a tile
  int divided_before = 0;  // slots of the problems before it whose tiles have more than one slice
  TileCoord clusters;
  long long ldd = 0;  // elements between rows of D and of C
  void* d = nullptr;
  const unsigned short* c = nullptr;
};

/// The problems of such a group in scheduling order: what GroupWork wants of them.
struct OwnProblems {
  const OwnProblem* list = nullptr;

  constexpr ProblemWork<int> operator[](int problem) const {
    return {list[problem].slots, list[problem].k_steps, list[problem].slices};
  }
};

}  // namespace tw
