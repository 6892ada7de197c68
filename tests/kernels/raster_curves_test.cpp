// Curves: bijective on every rectangle, and with the steps of a curve.
#include "map/raster_curves.cuh"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "map/tile_map.cuh"
#include "support/raster_laws.hpp"

namespace {

using tilewright::testing::broken_law;
using tw::Raster;
using tw::RasterKind;
using tw::TileCoord;

constexpr Raster kHilbert{.kind = RasterKind::Hilbert};
constexpr Raster kMorton{.kind = RasterKind::Morton};

// Counts steps of the walk to tiles that are none of the eight neighbours, and diagonal steps.
int jumps(TileCoord grid, int& diagonals) {
  int count = 0;
  diagonals = 0;
  for (int slot = 1; slot < grid.m * grid.n; ++slot) {
    const TileCoord a = tw::tile_at(kHilbert, grid, slot - 1);
    const TileCoord b = tw::tile_at(kHilbert, grid, slot);
    const int m = std::abs(a.m - b.m);
    const int n = std::abs(a.n - b.n);
    if (m > 1 || n > 1) ++count;
    if (m == 1 && n == 1) ++diagonals;
  }
  return count;
}

// The textbook curve on a square of side 2^k, by turning quadrants.
TileCoord square_curve(int side, int slot) {
  int x = 0;
  int y = 0;
  for (int s = 1; s < side; s *= 2) {
    const int right = 1 & slot / 2;
    const int up = 1 & (slot ^ right);
    if (up == 0) {
      if (right == 1) {
        x = s - 1 - x;
        y = s - 1 - y;
      }
      const int kept = x;
      x = y;
      y = kept;
    }
    x += s * right;
    y += s * up;
    slot /= 4;
  }
  return {y, x};
}

}  // namespace

TEST_CASE("hilbert covers every rectangle without skips, and inverts") {
  for (int m = 1; m <= 40; ++m) {
    for (int n = 1; n <= 40; ++n) {
      REQUIRE(tw::slot_count<int>(kHilbert, {m, n}) == m * n);
      REQUIRE(broken_law(kHilbert, {m, n}) == std::string());
    }
  }
}

TEST_CASE("hilbert walks from neighbour to neighbour, with one diagonal step at most") {
  for (int m = 1; m <= 40; ++m) {
    for (int n = 1; n <= 40; ++n) {
      int diagonals = 0;
      CAPTURE(m);
      CAPTURE(n);
      REQUIRE(jumps({m, n}, diagonals) == 0);
      REQUIRE(diagonals <= 1);
      if (m % 2 == 0 && n % 2 == 0) REQUIRE(diagonals == 0);
    }
  }
}

TEST_CASE("hilbert on a power of two is the textbook curve, transposed or not") {
  for (const int side : {2, 4, 8, 16, 32}) {
    bool straight = true;
    bool turned = true;
    for (int slot = 0; slot < side * side; ++slot) {
      const TileCoord tile = tw::tile_at(kHilbert, {side, side}, slot);
      straight = straight && tile == square_curve(side, slot);
      turned = turned && tile == tw::transposed(square_curve(side, slot));
    }
    CAPTURE(side);
    CHECK((straight || turned));
  }
}

TEST_CASE("morton fills a power-of-two box, each aligned square before the next") {
  for (int m = 1; m <= 18; ++m) {
    for (int n = 1; n <= 18; ++n) REQUIRE(broken_law(kMorton, {m, n}) == std::string());
  }
  CHECK(tw::slot_count<int>(kMorton, {13, 10}) == 256);
  CHECK(tw::slot_count<int>(kMorton, {1, 40}) == 64);
  CHECK(tw::slot_count<int>(kMorton, {16, 8}) == 128);
  for (int slot = 0; slot < 256; ++slot) {
    const TileCoord tile = tw::tile_at(kMorton, {16, 16}, slot);
    for (int bit = 0; bit < 4; ++bit) {
      REQUIRE((tile.n >> bit & 1) == (slot >> 2 * bit & 1));
      REQUIRE((tile.m >> bit & 1) == (slot >> (2 * bit + 1) & 1));
    }
  }
  // Twice as long as wide: two squares of 4x4, one after the other.
  CHECK(tw::tile_at(kMorton, {4, 8}, 15) == TileCoord{3, 3});
  CHECK(tw::tile_at(kMorton, {4, 8}, 16) == TileCoord{0, 4});
}

TEST_CASE("curves are exact on grids of billions of tiles") {
  const TileCoord grid{100'003, 90'001};
  for (const TileCoord tile : {TileCoord{100'002, 90'000}, {99'999, 1}, {0, 90'000}, {50'001, 7}}) {
    for (const Raster& raster : {kHilbert, kMorton}) {
      const long long slot = tw::slot_of<long long>(raster, grid, tile);
      REQUIRE(slot < tw::slot_count<long long>(raster, grid));
      CHECK(tw::tile_at(raster, grid, slot) == tile);
    }
  }
}
