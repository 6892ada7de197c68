// The triangle's walk: exact rows, every active tile once, and what is launched for nothing.
#include "map/triangle.cuh"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <utility>

namespace {

using tw::TileCoord;
using tw::Triangle;

Triangle triangle_of(int n, int cta_m, int cta_n, bool lower) {
  return {lower, {(n + cta_m - 1) / cta_m, (n + cta_n - 1) / cta_n}, cta_m, cta_n};
}

// By elements: some element of the tile inside the n x n output lies in the triangle.
bool has_elements(int n, const Triangle& t, TileCoord tile) {
  for (int i = tile.m * t.cta_m; i < (tile.m + 1) * t.cta_m && i < n; ++i) {
    for (int j = tile.n * t.cta_n; j < (tile.n + 1) * t.cta_n && j < n; ++j) {
      if (t.lower ? i >= j : i <= j) return true;
    }
  }
  return false;
}

struct Counts {
  int launched = 0;
  int active = 0;
};

Counts count(const Triangle& t) {
  Counts counts;
  counts.launched = tw::triangle_slots<int>(t);
  for (int slot = 0; slot < counts.launched; ++slot) {
    if (tw::is_active(t, tw::triangle_tile_at(t, slot))) ++counts.active;
  }
  return counts;
}

static_assert(tw::triangle_row(0LL) == 0 && tw::triangle_row(1LL) == 1 &&
              tw::triangle_row(2LL) == 1);

}  // namespace

TEST_CASE("rows are exact on both sides of every row's begin below 2^40") {
  const long long rows = 1'482'911;  // triangle_size(rows) is just above 2^40
  REQUIRE(tw::triangle_size(rows) > 1LL << 40);
  long long wrong = 0;
  long long begin = 0;
  for (long long row = 0; row < rows; ++row) {
    // As the device does it: from a single-precision root.
    const auto guess = static_cast<long long>(std::sqrt(2.0f * static_cast<float>(begin)));
    if (tw::corrected_row(begin, guess) != row) ++wrong;
    if (tw::triangle_row(begin) != row) ++wrong;
    if (begin > 0 && tw::triangle_row(begin - 1) != row - 1) ++wrong;
    begin += row + 1;
  }
  CHECK(wrong == 0);
  CHECK(begin == tw::triangle_size(rows));
}

TEST_CASE("a row is found from guesses on both sides") {
  for (int t = 0; t < 200; ++t) {
    for (int guess = 0; guess <= 30; ++guess) {
      REQUIRE(tw::corrected_row(t, guess) == tw::triangle_row(t));
    }
    REQUIRE(tw::triangle_size(tw::triangle_row(t)) <= t);
    REQUIRE(tw::triangle_size(tw::triangle_row(t) + 1) > t);
  }
}

TEST_CASE("every tile with an element of the triangle comes once, and inverts") {
  for (const auto& [cta_m, cta_n] :
       {std::pair(64, 64), {64, 32}, {32, 64}, {128, 32}, {32, 128}, {96, 32}}) {
    for (int n = 1; n <= 400; n += 7) {
      for (const bool lower : {true, false}) {
        const Triangle t = triangle_of(n, cta_m, cta_n, lower);
        std::set<std::pair<int, int>> seen;
        for (int slot = 0; slot < tw::triangle_slots<int>(t); ++slot) {
          const TileCoord tile = tw::triangle_tile_at(t, slot);
          REQUIRE(tile == tw::triangle_tile_at(t, static_cast<long long>(slot)));
          REQUIRE(tw::triangle_slot_of<int>(t, tile) == slot);
          if (tw::is_active(t, tile)) REQUIRE(seen.insert({tile.m, tile.n}).second);
        }
        size_t wanted = 0;
        for (int m = 0; m < t.grid.m; ++m) {
          for (int k = 0; k < t.grid.n; ++k) {
            REQUIRE(tw::is_active(t, {m, k}) == has_elements(n, t, {m, k}));
            wanted += tw::is_active(t, {m, k}) ? 1U : 0U;
          }
        }
        REQUIRE(seen.size() == wanted);
      }
    }
  }
}

TEST_CASE("goldens: launched and active tiles of small triangles") {
  struct Row {
    int n, cta_m, cta_n, launched, lower, upper;
  };
  for (const Row& r : {Row{132, 64, 32, 12, 11, 9},
                       {132, 128, 32, 12, 9, 6},
                       {128, 64, 32, 6, 6, 6},
                       {200, 64, 32, 20, 19, 16}}) {
    CAPTURE(r.n);
    const Counts lower = count(triangle_of(r.n, r.cta_m, r.cta_n, true));
    const Counts upper = count(triangle_of(r.n, r.cta_m, r.cta_n, false));
    CHECK(lower.launched == r.launched);
    CHECK(lower.active == r.lower);
    CHECK(upper.launched == r.launched);
    CHECK(upper.active == r.upper);
  }
}

TEST_CASE("a 3x3 lower triangle is walked row by row") {
  const Triangle t = triangle_of(192, 64, 64, true);
  int slot = 0;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column <= row; ++column) {
      CHECK(tw::triangle_tile_at(t, slot++) == TileCoord{row, column});
    }
  }
}
