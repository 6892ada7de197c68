// The walk of a triangle: exact rows, every active tile once, and the number of empty slots.
#include "map/triangle.cuh"

#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace {

using tw::TileCoord;
using tw::Triangle;

Triangle triangle_of(int n, int cta_m, int cta_n, bool lower) {
  return {lower, {(n + cta_m - 1) / cta_m, (n + cta_n - 1) / cta_n}, cta_m, cta_n, 0};
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

TEST_CASE("triangle_row is exact around the begin of every row below 2^40") {
  const long long rows = 1'482'911;  // triangle_size(rows) is just above 2^40
  REQUIRE(tw::triangle_size(rows) > 1LL << 40);
  long long wrong = 0;
  long long begin = 0;
  for (long long row = 0; row < rows; ++row) {
    // With 32-bit indices, as on the device.
    if (begin < 1LL << 29 && tw::triangle_row(static_cast<int>(begin)) != row) ++wrong;
    if (tw::triangle_row(begin) != row) ++wrong;
    if (begin > 0 && tw::triangle_row(begin - 1) != row - 1) ++wrong;
    begin += row + 1;
  }
  CHECK(wrong == 0);
  CHECK(begin == tw::triangle_size(rows));
}

TEST_CASE("every tile with an element of the triangle is visited once, and inverts") {
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

// Tiles of any sides; every slot has a tile.
TEST_CASE("bands visit every tile with an element of the triangle once, and no other") {
  for (const auto& [cta_m, cta_n] :
       {std::pair(64, 64), {192, 128}, {256, 160}, {128, 256}, {64, 24}, {256, 144}, {96, 320}}) {
    for (int n = 1; n <= 1400; n += 97) {
      for (const int band : {1, 2, 3, 8, 100}) {
        for (const bool lower : {true, false}) {
          Triangle t = triangle_of(n, cta_m, cta_n, lower);
          t.band = band;
          std::set<std::pair<int, int>> seen;
          for (int slot = 0; slot < tw::triangle_slots<int>(t); ++slot) {
            const TileCoord tile = tw::triangle_tile_at(t, slot);
            REQUIRE(tile == tw::triangle_tile_at(t, static_cast<long long>(slot)));
            REQUIRE(tw::triangle_slot_of<int>(t, tile) == slot);
            REQUIRE(has_elements(n, t, tile));
            REQUIRE(seen.insert({tile.m, tile.n}).second);
          }
          size_t wanted = 0;
          for (int m = 0; m < t.grid.m; ++m) {
            for (int k = 0; k < t.grid.n; ++k) wanted += tw::is_active(t, {m, k}) ? 1U : 0U;
          }
          REQUIRE(seen.size() == wanted);
        }
      }
    }
  }
}

TEST_CASE("a band is walked column by column, from the first tile of the triangle down") {
  Triangle t = triangle_of(256, 64, 64, true);
  t.band = 2;
  const std::vector<TileCoord> walk = {{0, 0}, {1, 0}, {1, 1}, {2, 0}, {3, 0},
                                       {2, 1}, {3, 1}, {2, 2}, {3, 2}, {3, 3}};
  REQUIRE(tw::triangle_slots<int>(t) == 10);
  for (int slot = 0; slot < 10; ++slot) {
    CHECK(tw::triangle_tile_at(t, slot) == walk[static_cast<size_t>(slot)]);
  }
  t.lower = false;
  CHECK(tw::triangle_tile_at(t, 3) == TileCoord{0, 2});
}

// Both ends of a triangle with as many slots as kernels can count.
TEST_CASE("bands of huge triangles invert at both ends") {
  for (const auto& [cta_m, cta_n] : {std::pair(256, 160), {64, 64}, {64, 320}}) {
    Triangle t = triangle_of(1 << 20, cta_m, cta_n, true);
    t.band = 12;
    const int slots = tw::triangle_slots<int>(t);
    REQUIRE(slots == tw::triangle_slots<long long>(t));
    for (const int slot : {0, 1, 12345, slots / 2, slots - 2, slots - 1}) {
      const TileCoord tile = tw::triangle_tile_at(t, slot);
      CHECK(tile == tw::triangle_tile_at(t, static_cast<long long>(slot)));
      CHECK(tw::triangle_slot_of<int>(t, tile) == slot);
      CHECK(tw::is_active(t, tile));
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
