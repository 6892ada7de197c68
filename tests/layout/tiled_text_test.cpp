// Tiled instructions: what a copy puts into registers is what the matrix instruction reads there.
#include "layout/text/tiled_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "layout/algebra/layout_comparison.hpp"
#include "support/error_message.hpp"
#include "support/evaluation.hpp"

using namespace tilewright;
using testing::contains;
using testing::evaluation_error;
using testing::layout_read;

namespace {

constexpr const char* kTiledMma =
    "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2,_1>>{}, "
    "Tile<_32,_32,_16>{})";

std::vector<int64_t> held(const Layout& layout, int64_t thread) {
  std::vector<int64_t> all;
  for (int64_t v = 0; v < size(mode(layout, 1)); ++v) {
    all.push_back(offset_at(layout, IntTuple({thread, v})));
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::string copy_of(const char* operand, const char* atom, const char* side) {
  return format("make_tiled_copy_{}(Copy_Atom<{}, half_t>{{}}, {}){}", operand, atom, kTiledMma,
                side);
}

}  // namespace

TEST_CASE("a copy of an operand puts into each thread's registers what the instruction reads") {
  struct Case {
    const char* operand;
    const char* atom;
    const char* registers;  // the side of them
  };
  for (const Case& one :
       {Case{"A", "SM75_U32x4_LDSM_N", "D"}, Case{"A", "SM75_U32x1_LDSM_N", "D"},
        Case{"B", "SM75_U32x4_LDSM_N", "D"}, Case{"B", "SM75_U32x2_LDSM_N", "D"},
        Case{"C", "SM90_U32x4_STSM_N", "S"}, Case{"C", "UniversalCopy<uint32_t>", "S"},
        Case{"A", "DefaultCopy", "D"}}) {
    const std::string text =
        copy_of(one.operand, one.atom, format(".get_layout{}_TV()", one.registers).c_str());
    CAPTURE(text);
    const Layout copy = layout_read(text).layout;
    const Layout wanted =
        layout_read(format("{}.get_layout{}_TV()", kTiledMma, one.operand)).layout;
    REQUIRE(size(mode(copy, 0)) == size(mode(wanted, 0)));
    for (int64_t thread = 0; thread < size(mode(copy, 0)); ++thread) {
      CHECK(held(copy, thread) == held(wanted, thread));
    }
  }
}

// Rows of 8 elements along K: 32 rows of A or B lie side by side in the first mode of the tile.
TEST_CASE("each lane of ldmatrix points at 8 elements in a row, and all rows are pointed at") {
  for (const char* const operand : {"A", "B"}) {
    const Layout rows =
        layout_read(copy_of(operand, "SM75_U32x4_LDSM_N", ".get_layoutS_TV()")).layout;
    std::vector<int> pointed(32 * 2);
    for (int64_t thread = 0; thread < size(mode(rows, 0)); ++thread) {
      const int64_t first = offset_at(rows, IntTuple({thread, int64_t{0}}));
      CHECK(first / 32 % 8 == 0);
      ++pointed[static_cast<size_t>(first % 32 + first / 256 * 32)];
      for (int64_t v = 1; v < 8; ++v) {
        CHECK(offset_at(rows, IntTuple({thread, v})) == first + 32 * v);
      }
    }
    CHECK(std::all_of(pointed.begin(), pointed.end(), [](int count) { return count == 2; }));
  }
}

TEST_CASE("CuTe DSL's calls are those of CuTe C++") {
  struct Case {
    const char* dsl;
    const char* cpp;
  };
  for (const Case& one :
       {Case{"cute.make_tiled_copy_tv(cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), "
             "cutlass.Float32, num_bits_per_copy=128), (32, 8), (4, 1))",
             "make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, float>{}, "
             "Layout<Shape<_32,_8>>{}, Layout<Shape<_4,_1>>{})"},
        Case{"cute.make_tiled_mma(cute.nvgpu.warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16)), "
             "(2, 2, 1), permutation_mnk=(32, 32, 16)).tv_layout_B_tiled",
             "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2,_1>>{}, "
             "Tile<_32,_32,_16>{}).get_layoutB_TV()"},
        Case{"op = cute.nvgpu.warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16))\n"
             "tiled_mma = cute.make_tiled_mma(op, (2, 2, 1), permutation_mnk=(32, 32, 16))\n"
             "atom = cute.make_copy_atom(\n    LdMatrix8x8x16bOp(False, 4), Float16)\n"
             "copy = cute.make_tiled_copy_A(atom, tiled_mma)",
             "auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, "
             "Layout<Shape<_2,_2,_1>>{}, Tile<_32,_32,_16>{}); auto copy = "
             "make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, mma);"},
        Case{"cute.make_tiled_copy(cute.make_copy_atom(CopyUniversalOp(), Float16), "
             "layout_tv=((8,32),8):((256,1),32), tiler_mn=(32, 64))",
             "make_tiled_copy(Copy_Atom<DefaultCopy, half_t>{}, "
             "Layout<Shape<_32,_8>,Stride<_8,_1>>{}, Layout<Shape<_1,_8>>{})"},
        Case{"cute.make_tiled_copy_S(cute.make_copy_atom(CopyUniversalOp(), Float16), "
             "cute.make_tiled_copy_tv(cute.make_copy_atom(CopyUniversalOp(), Float16), (4, 8), "
             "(2, 2)))",
             "cute.make_layout_tv((4, 8), (2, 2))"}}) {
    CAPTURE(one.dsl);
    CHECK(compare(layout_read(one.dsl), layout_read(one.cpp)).equal);
  }
}

TEST_CASE("what is not read is refused by its name, with what is read") {
  struct Case {
    const char* text;
    const char* words;
  };
  for (const Case& one :
       {Case{"make_tiled_mma(SM80_1x1x1_X_TN{})", "'SM80_1x1x1_X_TN' is not a matrix instruction"},
        Case{"make_tiled_copy_A(Copy_Atom<DefaultCopy, half_t>{})",
             "make_tiled_copy_A: the argument 'tiled_mma' is missing"},
        Case{"make_tiled_copy_A(Copy_Atom<DefaultCopy, half_t>{}, mma)",
             "'mma' is not a tiled MMA: write make_tiled_mma("},
        Case{"make_tiled_copy_S(Copy_Atom<DefaultCopy, half_t>{}, copy)",
             "'copy' is not a tiled copy: write make_tiled_copy_tv("},
        Case{"make_tiled_copy_tv(LdMatrix8x8x16bOp(), (8,4), (1,1))",
             "'LdMatrix8x8x16bOp' is not a copy: expected Copy_Atom<OPERATION, TYPE>"},
        Case{"make_tiled_copy_tv(make_copy_atom(CopyBulkTensorTileG2SOp(), Float16), (8,4), (1,1))",
             "'CopyBulkTensorTileG2SOp' is not a copy whose threads are known"},
        Case{"make_tiled_copy_tv(make_copy_atom(LdMatrix8x8x16bOp(False, num=4), Float16), (8), 1)",
             "LdMatrix8x8x16bOp has no argument of this name, only transpose and num_matrices"},
        Case{"make_tiled_copy_tv(make_copy_atom(CopyUniversalOp(), Float17), (8,4), (1,1))",
             "unknown element type 'Float17'"},
        Case{"make_tiled_copy_tv(make_copy_atom(CopyUniversalOp(), Float16, "
             "num_bits_per_copy=128), (32,8), (1,4))",
             "256 threads of 4 values are not a multiple of an instruction of 1 threads of 8"},
        Case{"make_tiled_copy_C_atom(Copy_Atom<DefaultCopy, half_t>{}, mma)",
             "make_tiled_copy_C_atom is not read; make_tiled_copy, make_tiled_copy_tv,"},
        Case{"make_cotiled_copy(a, b, c)", "'make_cotiled_copy' is not read: write"},
        Case{"MmaF16BF16Op(Float16, Float32, (128, 256, 16))",
             "the layouts of MmaF16BF16Op of 128x256x16 are not known"},
        Case{"make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}).get_layoutD_TV()",
             "'get_layoutD_TV' is not get_layoutA_TV, get_layoutB_TV"}}) {
    CAPTURE(one.text);
    CHECK(contains(evaluation_error(one.text), one.words));
  }
}
