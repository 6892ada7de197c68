#include "map/problem_visitor.cuh"

#include <doctest/doctest.h>

#include <vector>

namespace {

// Tiles of problem i: a few, with some empty problems.
int tiles_of(int problem) {
  return problem * 7 % 5 == 0 ? 0 : problem * 7 % 5 + problem % 3;
}

tw::ProblemStart<int> find_by_counting(int problems, int tile) {
  int first = 0;
  for (int problem = 0; problem < problems; ++problem) {
    if (tile < first + tiles_of(problem)) return {problem, first};
    first += tiles_of(problem);
  }
  return {};
}

int total_of(int problems) {
  int total = 0;
  for (int problem = 0; problem < problems; ++problem) total += tiles_of(problem);
  return total;
}

}  // namespace

TEST_CASE("the warp's search finds the same problem as counting, for every round-robin CTA") {
  for (const int problems : {1, 2, 31, 32, 33, 64, 65, 100, 200}) {
    for (const int ctas : {1, 3, 8, 50}) {
      const int total = total_of(problems);
      for (int cta = 0; cta < ctas; ++cta) {
        tw::ProblemVisitor<int> visitor(problems, tiles_of);
        for (int tile = cta; tile < total; tile += ctas) {
          REQUIRE(visitor.find(tile, tiles_of) == find_by_counting(problems, tile));
        }
        REQUIRE(visitor.find(total, tiles_of).problem == -1);
      }
    }
  }
}
