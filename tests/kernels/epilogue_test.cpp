#include "map/epilogue.cuh"

#include <doctest/doctest.h>

#include <set>

TEST_CASE("stacked columns in turn are a permutation that keeps each gate beside its up") {
  for (int columns = 2; columns < 70; columns += 2) {
    std::set<int> seen;
    for (int column = 0; column < columns; column += 2) {
      const int gate = tw::stacked_column(column, columns);
      CHECK(gate == column / 2);
      CHECK(tw::stacked_column(column + 1, columns) == gate + columns / 2);
      seen.insert({gate, gate + columns / 2});
    }
    CHECK(static_cast<int>(seen.size()) == columns);
    CHECK(*seen.rbegin() == columns - 1);
  }
}
