// Compares fragments of matrix instructions with the tables of PTX.
#include "layout/algebra/mma_atom.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"

using namespace tilewright;

namespace {

// Row and column of value v in a lane's registers of A, `e` elements a register (PTX ISA,
// mma.m16n8).
int64_t element_of_a(int64_t lane, int64_t v, int64_t e) {
  const int64_t row = lane / 4 + 8 * (v / e % 2);
  const int64_t column = lane % 4 * e + v % e + 4 * e * (v / (2 * e));
  return row + 16 * column;
}

}  // namespace

TEST_CASE("fragments of mma.m16n8 equal PTX's tables for every element width") {
  struct Case {
    const char* name;
    int64_t k;
    int64_t elements;  // of a register
  };
  for (const Case& one :
       {Case{"SM80_16x8x8_F32F16F16F32_TN", 8, 2}, Case{"SM80_16x8x16_F32BF16BF16F32_TN", 16, 2},
        Case{"SM80_16x8x8_F32TF32TF32F32_TN", 8, 1}, Case{"SM80_16x8x32_S32S8U8S32_TN", 32, 4},
        Case{"SM89_16x8x32_F32E4M3E5M2F32_TN", 32, 4}}) {
    CAPTURE(one.name);
    const auto atom = mma_atom_named(one.name);
    REQUIRE(atom);
    CHECK(atom->k == one.k);
    const int64_t values = 16 * one.k / 32;
    REQUIRE(size(atom->a) == 32 * values);
    for (int64_t lane = 0; lane < 32; ++lane) {
      for (int64_t v = 0; v < values; ++v) {
        CHECK(offset_at(atom->a, lane + 32 * v) == element_of_a(lane, v, one.elements));
      }
    }
  }
}

TEST_CASE(
    "every operand's threads and values reach all of the tile that its shape names, and no more") {
  for (const char* const name : {"SM80_16x8x16_F32F16F16F32_TN", "SM80_16x8x8_F32TF32TF32F32_TN",
                                 "SM90_64x128x16_F32F16F16_SS"}) {
    const auto atom = mma_atom_named(name);
    REQUIRE(atom);
    for (const IntTuple& counts : {IntTuple({1, 1, 1}), IntTuple({2, 2, 1}), IntTuple({1, 4, 2})}) {
      const Layout atoms = compact_layout(counts);
      const auto [m, n, k] = tiled_mma_shape(*atom, atoms, {});
      const auto covers = [&](MmaOperand operand, int64_t elements) {
        const Layout held = tiled_mma(*atom, atoms, {}, operand);
        std::vector<bool> seen(static_cast<size_t>(elements));
        for (int64_t i = 0; i < size(held); ++i)
          seen.at(static_cast<size_t>(offset_at(held, i))) = true;
        return std::count(seen.begin(), seen.end(), true) == elements;
      };
      CHECK(covers(MmaOperand::A, m * k));
      CHECK(covers(MmaOperand::B, n * k));
      CHECK(covers(MmaOperand::C, m * n));
    }
  }
}

TEST_CASE("a tile of instructions holds every accumulator element once") {
  const auto atom = mma_atom_named("SM80_16x8x16_F16F16F16F16_TN");
  REQUIRE(atom);
  const Layout atoms = compact_layout(IntTuple({2, 2, 1}));
  const Layout c = tiled_mma(*atom, atoms, {}, MmaOperand::C);
  std::vector<int> seen(32 * 16);
  for (int64_t i = 0; i < size(c); ++i) ++seen[static_cast<size_t>(offset_at(c, i))];
  CHECK(seen == std::vector<int>(32 * 16, 1));
  // Both warps along N read the same rows of A.
  const Layout a = tiled_mma(*atom, atoms, {}, MmaOperand::A);
  CHECK(offset_at(a, 0) == offset_at(a, 64));
  CHECK(offset_at(a, 32) == 16);
}

TEST_CASE("an instruction with unknown fragments is refused by name") {
  CHECK_THROWS_WITH_AS(mma_atom_named("SM70_8x8x4_F32F16F16F32_TN"),
                       doctest::Contains("SM70_8x8x4_F32F16F16F32_TN"), Error);
  CHECK_FALSE(mma_atom_named("Swizzle"));
}
