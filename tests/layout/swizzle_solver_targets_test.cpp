#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "layout/smem/swizzle_solver.hpp"

namespace tilewright {
namespace {

SwizzleSpelling spelling(const SharedTile& tile, const Swizzle& swizzle, const char* target) {
  for (const SwizzleSpelling& spelled : spell_swizzle(tile, swizzle)) {
    if (spelled.target == target) return spelled;
  }
  FAIL("no such target");
  return {};
}

// Moves vectors of `vector` columns: XORs their index with row / rows_a_phase % phases.
int64_t row_xor(const SharedTile& tile, int64_t element, int64_t vector, int64_t rows_a_phase,
                int64_t phases) {
  const int64_t row = element / tile.cols;
  const int64_t col = element % tile.cols;
  const int64_t place = (col / vector) ^ (row / rows_a_phase % phases);
  return row * tile.cols + place * vector + col % vector;
}

TEST_CASE("the texts for Triton and IREE are the same function, wherever they exist") {
  int expressible = 0;
  for (const SharedTile& tile :
       {SharedTile{16, 64, 2}, SharedTile{64, 16, 4}, SharedTile{8, 8, 2}}) {
    for (int b = 1; b <= 4; ++b) {
      for (int m = 0; m <= 4; ++m) {
        for (int s = b; s <= 8; ++s) {
          const Swizzle swizzle{b, m, s};
          const SwizzleSpelling triton = spelling(tile, swizzle, "triton");
          const SwizzleSpelling iree = spelling(tile, swizzle, "iree");
          CHECK(triton.why_not == iree.why_not);
          if (!triton.why_not.empty()) continue;
          ++expressible;
          int vec = 0;
          int per_phase = 0;
          int max_phase = 0;
          REQUIRE(std::sscanf(triton.text.c_str(),
                              "#ttg.swizzled_shared<{vec = %d, perPhase = %d, maxPhase = %d", &vec,
                              &per_phase, &max_phase) == 3);
          int width = 0;
          int access = 0;
          int stride = static_cast<int>(tile.cols);
          int rows = 1;
          REQUIRE(std::sscanf(iree.text.c_str(), "#iree_codegen.xor_shuffle<%d, %d, %d, %d>",
                              &width, &access, &stride, &rows) >= 2);
          CHECK(stride == tile.cols);
          for (int64_t i = 0; i < element_count(tile); ++i) {
            REQUIRE(apply(swizzle, i) == row_xor(tile, i, vec, per_phase, max_phase));
            REQUIRE(apply(swizzle, i) == row_xor(tile, i, access, rows, width / access));
          }
        }
      }
    }
  }
  CHECK(expressible > 20);
}

TEST_CASE("the wgmma tile of f16 for every target") {
  const SharedTile tile{8, 64, 2};
  const Swizzle swizzle{3, 3, 3};
  CHECK(spelling(tile, swizzle, "cute-cpp").text ==
        "composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{})");
  CHECK(spelling(tile, swizzle, "cute-dsl").text ==
        "cute.make_composed_layout(cute.make_swizzle(3, 3, 3), 0, "
        "cute.make_layout((8, 64), stride=(64, 1)))");
  CHECK(spelling(tile, swizzle, "triton").text ==
        "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>");
  CHECK(spelling(tile, swizzle, "iree").text == "#iree_codegen.xor_shuffle<64, 8>");
  CHECK(spelling(tile, swizzle, "tma").text == "CU_TENSOR_MAP_SWIZZLE_128B");
  CHECK(spelling({8, 32, 4}, {3, 2, 3}, "tma").text == "CU_TENSOR_MAP_SWIZZLE_128B");
  CHECK(spelling({8, 32, 2}, {2, 3, 3}, "tma").text == "CU_TENSOR_MAP_SWIZZLE_64B");
}

TEST_CASE("a target that cannot express a swizzle gives the reason") {
  CHECK(spelling({8, 128, 2}, {3, 3, 3}, "tma").why_not.find("copy boxes of 64 columns") !=
        std::string::npos);
  CHECK(spelling({8, 64, 2}, {3, 3, 4}, "tma").why_not.find("in bytes it is Sw<3,4,4>") !=
        std::string::npos);
  CHECK(spelling({8, 64, 2}, {3, 3, -3}, "triton").why_not.find("S < 0") != std::string::npos);
  CHECK(spelling({8, 128, 2}, {3, 3, 3}, "iree").why_not.find("part of the column") !=
        std::string::npos);
  CHECK(spelling({8, 48, 2}, {3, 3, 3}, "triton").why_not.find("not a power of two") !=
        std::string::npos);
  CHECK(spelling({8, 16, 2}, {2, 3, 4}, "triton").why_not.find("part of the row") !=
        std::string::npos);
}

}  // namespace
}  // namespace tilewright
