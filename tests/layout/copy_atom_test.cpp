// Copy instructions, compared with PTX's specification of ldmatrix and stmatrix.
#include "layout/algebra/copy_atom.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

using namespace tilewright;

namespace {

constexpr int64_t kLanes = 32;
constexpr int64_t kMatrix = 64;  // elements of 16 bits: 8 rows of 8

// The element of matrix after matrix, row-major, that a lane's value is (PTX ISA, ldmatrix): a
// register holds two neighbours of row lane / 4, or, transposed, of column lane / 4.
int64_t held(int64_t lane, int64_t value, bool transposed) {
  const int64_t major = lane / 4;
  const int64_t minor = 2 * (lane % 4) + value % 2;
  return kMatrix * (value / 2) + (transposed ? 8 * minor + major : 8 * major + minor);
}

std::string name_of(int64_t count, bool transposed, bool loads) {
  return format("SM{}_{}{}_{}SM_{}", loads ? 75 : 90, transposed ? "U16x" : "U32x",
                transposed ? 2 * count : count, loads ? "LD" : "ST", transposed ? "T" : "N");
}

}  // namespace

TEST_CASE("ldmatrix and stmatrix deal matrices out as PTX says, and each lane points at a row") {
  for (const bool loads : {true, false}) {
    for (const bool transposed : {false, true}) {
      for (const int64_t count : {1, 2, 4}) {
        const std::string name = name_of(count, transposed, loads);
        CAPTURE(name);
        const auto atom = copy_atom_named(name, 16);
        REQUIRE(atom);
        CHECK(atom->registers == (loads ? atom->destination : atom->source));
        const Layout& rows = loads ? atom->source : atom->destination;
        REQUIRE(size(atom->registers) == kMatrix * count);
        REQUIRE(size(rows) == kLanes * 8);
        for (int64_t lane = 0; lane < kLanes; ++lane) {
          for (int64_t v = 0; v < 2 * count; ++v) {
            CHECK(offset_at(atom->registers, lane + kLanes * v) == held(lane, v, transposed));
          }
          // Addresses of lanes beyond the rows are not looked at: they repeat the first ones.
          for (int64_t v = 0; v < 8; ++v) {
            CHECK(offset_at(rows, lane + kLanes * v) == 8 * (lane % (8 * count)) + v);
          }
        }
      }
    }
  }
}

TEST_CASE("elements of 32 bits are halves of as many registers; of 8 bits twice as many") {
  const auto wide = copy_atom_named("SM75_U32x4_LDSM_N", 32);
  const auto narrow = copy_atom_named("SM75_U32x4_LDSM_N", 8);
  REQUIRE(wide);
  REQUIRE(narrow);
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    for (int64_t r = 0; r < 4; ++r) {
      CHECK(2 * offset_at(wide->registers, lane + kLanes * r) == held(lane, 2 * r, false));
      for (int64_t byte = 0; byte < 4; ++byte) {
        CHECK(offset_at(narrow->registers, lane + kLanes * (4 * r + byte)) ==
              2 * held(lane, 2 * r, false) + byte);
      }
    }
  }
}

TEST_CASE("a tile of several instructions gives every element of theirs to one value") {
  const Layout tile =
      thread_value_tile(compact_layout(IntTuple({32, 1})), compact_layout(IntTuple({1, 8})));
  REQUIRE(size(tile) == 256);
  for (const char* const name : {"SM75_U32x1_LDSM_N", "SM75_U32x2_LDSM_N", "SM75_U32x4_LDSM_N",
                                 "SM75_U16x8_LDSM_T", "SM90_U32x4_STSM_N", "UniversalCopy"}) {
    CAPTURE(name);
    const auto atom = copy_atom_named(name, 16);
    REQUIRE(atom);
    const Layout held_tile = tiled_copy(*atom, atom->registers, tile);
    REQUIRE(size(held_tile) == 256);
    std::vector<int> seen(256);
    for (int64_t i = 0; i < 256; ++i) ++seen[static_cast<size_t>(offset_at(held_tile, i))];
    CHECK(seen == std::vector<int>(256, 1));
  }
}

TEST_CASE("other names are no copies, and a tile is a multiple of an instruction") {
  for (const char* const name : {"", "SM75_U32x3_LDSM_N", "SM75_U16x1_LDSM_T", "SM75_U32x4_LDSM",
                                 "SM80_16x8x16_F32F16F16F32_TN", "SM90_U32x4_LDST_N"}) {
    CAPTURE(name);
    CHECK_FALSE(copy_atom_named(name, 16).has_value());
  }
  const auto atom = copy_atom_named("SM75_U32x4_LDSM_N", 16);
  REQUIRE(atom);
  const Layout small =
      thread_value_tile(compact_layout(IntTuple({16, 1})), compact_layout(IntTuple({1, 8})));
  CHECK_THROWS_WITH_AS(tiled_copy(*atom, atom->registers, small),
                       doctest::Contains("not a multiple of an instruction of 32 threads of 8"),
                       Error);
}
