#include "help_layouts.hpp"

#include <string>
#include <string_view>

#include "base/text.hpp"
#include "layout/algebra/layout_operations.hpp"
#include "layout/text/layout_dialect.hpp"
#include "layout/text/layout_expression.hpp"
#include "layout/text/layout_report.hpp"

namespace tilewright {
namespace {

// The offsets of a layout of rank 2, and its notation.
std::string layout_drawing(const std::string& text) {
  const ComposedLayout layout = parse_layout(text);
  const int64_t rows = product(layout.layout.shape.items()[0]);
  const int64_t columns = product(layout.layout.shape.items()[1]);
  std::string drawing = format("{}\n", text);
  for (int64_t m = 0; m < rows; ++m) {
    for (int64_t n = 0; n < columns; ++n) {
      drawing += format("{:>4}", to_string(value_at(layout, IntTuple({m, n}))));
    }
    drawing += '\n';
  }
  return drawing;
}

std::string call_drawing(const std::string& call) {
  return format("{} = {}\n", call, to_string(evaluate_layout(call)));
}

struct Call {
  std::string_view name;
  const char* meaning = "";
  const char* example = "";
};

// The explanation of an operation; empty if it has none here.
Call call_named(std::string_view name) {
  constexpr Call kCalls[] = {
      {"append", "adds a mode behind all others, or modes until there are N: append<N>(L)",
       "append((2,7):(3,9), 4:5)"},
      {"blocked_product", "copies of A, arranged by B; A's modes run fastest",
       "blocked_product((2,2):(1,2), (2,2):(2,1))"},
      {"coalesce", "the same function with the fewest modes", "coalesce((2,(1,6)):(1,(6,2)))"},
      {"complement", "the layout that covers the rest of N offsets", "complement((2,2):(1,6), 24)"},
      {"composition", "A after B: B's coordinates, A's offsets",
       "composition((6,2):(8,2), (4,3):(3,1))"},
      {"downcast", "the layout for elements N times smaller", "downcast((8,4):(1,8), 4)"},
      {"filter", "the layout without modes of stride 0 or size 1", "filter((4,2,1):(1,0,7))"},
      {"filter_zeros", "the layout with extent 1 where the stride is 0",
       "filter_zeros((4,2):(0,1))"},
      {"flat_divide", "tiles of B, and the grid of tiles, mode by mode", "flat_divide(16:1, 4:2)"},
      {"flat_product", "A, and the arrangement B of its copies, mode by mode",
       "flat_product(4:2, 2:1)"},
      {"flatten", "all modes on one level", "flatten(((2,4),8):((1,2),8))"},
      {"get", "one mode: get<I>(L) of C++, mode= of Python", "get(((2,4),8):((1,2),8), (0,1))"},
      {"group", "several modes as one: group<BEGIN,END>(L) of C++", "group((2,7,3):(3,9,1), 0, 2)"},
      {"group_modes", "the same in Python", "group_modes((2,7,3):(3,9,1), 0, 2)"},
      {"left_inverse", "the layout from offsets to coordinates", "left_inverse((4,8):(8,1))"},
      {"logical_divide", "A divided into tiles of B: ((tile),(rest))", "logical_divide(16:1, 4:2)"},
      {"logical_product", "A, and the arrangement B of its copies: ((A),(B))",
       "logical_product(4:2, 2:1)"},
      {"make_composed_layout", "a swizzle, an offset and a layout",
       "make_composed_layout(Swizzle<1,0,1>, 0, 4:1)"},
      {"make_fragment_like", "registers for the layout's elements, mode 0 first",
       "make_fragment_like((4,8,2):(16,2,1))"},
      {"make_identity_layout", "every coordinate maps to itself", "make_identity_layout((4,8))"},
      {"make_layout", "from a shape and a stride or LayoutRight, or from one layout for each mode",
       "make_layout((4,8), LayoutRight)"},
      {"make_layout_like", "compact, in the order of the strides",
       "make_layout_like((4,8):(16,1))"},
      {"make_ordered_layout", "compact; the mode with the smallest entry of the order runs fastest",
       "make_ordered_layout((8,64), (1,0))"},
      {"prepend", "adds a mode before all others", "prepend((2,7):(3,9), 4:5)"},
      {"raked_product", "copies of A, arranged by B; B's modes run fastest",
       "raked_product((2,2):(1,2), (2,2):(2,1))"},
      {"recast", "the layout for elements of NEW bits instead of OLD bits",
       "recast((8,64):(64,1), 16, 32)"},
      {"recast_layout", "the same with Python's arguments: new bits, old bits, layout",
       "recast_layout(32, 16, (8,64):(64,1))"},
      {"right_inverse", "the largest layout R with L(R(i)) = i", "right_inverse((4,8):(8,1))"},
      {"select", "some modes: select<I,J>(L) of C++, mode=[I,J] of Python",
       "select((4,8,16):(32,4,1), (0,2))"},
      {"take", "the modes from BEGIN up to END: take<BEGIN,END>(L) of C++",
       "take((2,7,3):(3,9,1), 1, 3)"},
      {"tile_to_shape", "copies of a layout until they fill the shape",
       "tile_to_shape((2,2):(2,1), (4,4))"},
      {"tiled_divide", "((tile),rest...): the tile as one mode", "tiled_divide(16:1, 4:2)"},
      {"tiled_product", "((A),B...): A as one mode", "tiled_product(4:2, 2:1)"},
      {"upcast", "the layout for elements N times larger", "upcast((8,4):(1,8), 4)"},
      {"zipped_divide", "((tile),(rest)) over all modes", "zipped_divide(16:1, 4:2)"},
      {"zipped_product", "((A),(B)) over all modes", "zipped_product(4:2, 2:1)"}};
  for (const Call& call : kCalls) {
    if (call.name == name) return call;
  }
  return {};
}

// Another program's notation of a layout, and the layout that `analyze layout` reads from it.
std::string read_drawing(const char* text) {
  return format("{}\n= {}\n", text, to_string(as_layout(read_layout(text), "the example")));
}

// The calls and types of CuTe C++ and CuTe DSL.
std::vector<HelpEntry> cute_words() {
  return {
      {"GMMA::Layout_K_SW128_Atom<T>{}",
       "wgmma's atoms, alone or inside a call; T gives the bits of an element",
       read_drawing("GMMA::Layout_K_SW128_Atom<half_t>{}")},
      {"make_tiled_mma(OP{}, ATOMS, TILE)",
       "matrix instructions, alone or in MMA_Atom<OP>, TiledMMA<...>: (thread, value) to elements "
       "of the accumulator, rows fastest; append .get_layoutA_TV() or .get_layoutB_TV() for an "
       "operand",
       read_drawing("make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2>>{})")},
      {"make_tiled_copy(Copy_Atom<OP,T>{}, THREADS, VALUES)",
       "(thread, value) to elements of the tile at the destination; .get_layoutS_TV(): the source",
       read_drawing("make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, float>{}, "
                    "Layout<Shape<_32,_8>>{}, Layout<Shape<_4,_1>>{})")},
      {"make_tiled_copy_A(Copy_Atom<OP,T>{}, TILED_MMA)",
       "a copy of the operand A of a tiled MMA, _B and _C likewise; _S and _D follow a side of a "
       "tiled copy",
       read_drawing("make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, "
                    "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}))")},
      {"cute.make_tiled_copy_tv(ATOM, THREADS, VALUES)",
       "CuTe DSL's calls, with its names of arguments: make_copy_atom() of CopyUniversalOp(), "
       "CopyG2SOp(), LdMatrix8x8x16bOp() or StMatrix8x8x16bOp(), make_tiled_mma() of "
       "MmaF16BF16Op() and others, make_trivial_tiled_mma(); .layout_src_tv_tiled, "
       ".layout_dst_tv_tiled and .tv_layout_A_tiled choose a side or an operand",
       read_drawing("cute.make_tiled_copy_tv(cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), "
                    "cutlass.Float16, num_bits_per_copy=128), (32, 8), (1, 8))")},
      {"make_smem_layout_atom(KIND, T)",
       "CuTe DSL's atom of wgmma, in elements; KIND is K_SW128, MN_SW64, K_INTER, ...",
       read_drawing("cute.nvgpu.warpgroup.make_smem_layout_atom(K_SW128, Float16)")},
      {"sm90_utils.make_smem_layout_a(MAJOR, (M,N,K), T, STAGES)",
       "an operand in shared memory, _b likewise, make_smem_layout_epi(T, MAJOR, (M,N), STAGES) an "
       "output; MAJOR is LayoutEnum.ROW_MAJOR or COL_MAJOR. The last mode is the stage",
       read_drawing("sm90_utils.make_smem_layout_a(LayoutEnum.ROW_MAJOR, (128, 128, 64), Float16, "
                    "4)")},
      {"LAYOUT(_, _, 0)",
       "a slice: the modes that are _ or None; also L[None, None, 0], slice_(L, (None, None, 0)); "
       "L[0] is mode 0",
       read_drawing("((2,4),8,3):((1,16),2,64)((_,3),_,1)")},
      {"SHAPE:(E<0>{}, 8*E<1>{})",
       "maps coordinates to coordinates; cute.E(0), 8*cute.E(1) of CuTe DSL, printed 1@0, 8@1",
       read_drawing("(32,8):(E<0>{}, 8*E<1>{})")},
      {"local_partition(L, THREADS, THREAD, STEP)",
       "the elements of one thread, one in each tile of the size of THREADS; the first offset is "
       "printed beside them",
       read_drawing("local_partition((32,64):(64,1), (4,8):(8,1), 5)")},
      {"local_tile(L, TILER, COORDINATE, STEP)",
       "a tile, and the modes whose coordinate is _; the tile's first offset is printed beside it",
       read_drawing("local_tile((512,256):(256,1), Shape<_128,_64>{}, make_coord(1, _))")},
      {"auto bM = Int<128>{}; ...",
       "lines of a program: the value of the last line, which may use the names above it", ""}};
}

// The layouts of Triton, Gluon and IREE.
std::vector<HelpEntry> compiler_words() {
  return {
      {"#ttg.ATTRIBUTE<{...}>",
       "TTGIR: blocked, nvidia_mma, dot_op, slice, linear map (thread, value) to elements of the "
       "tile, first dimension fastest; swizzled_shared, nvmma_shared, padded_shared, shared_linear "
       "map elements to offsets. tensor<64x64xf16, ...> around it gives the shape. Lines above "
       "define a parent: #mma = ...",
       read_drawing("#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, "
                    "elementBitWidth = 16}>")},
      {"gl.BlockedLayout(...)",
       "Gluon's classes, the same; gl.allocate_shared_memory(T, [64, 64], ...) gives the shape",
       read_drawing("gl.BlockedLayout([1, 2], [4, 8], [4, 1], [1, 0])")},
      {"#iree_vector_ext.nested_layout<...>",
       "IREE: (thread, value) to elements; #iree_gpu.mma_layout<...> too: the accumulator, or an "
       "operand if , operand_index = 0 or 1 follows. linalg.pack with its types and an encoding's "
       "encoding_info = {...} map coordinates to offsets in the packed tensor",
       read_drawing("#iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>")},
      {"register=1 -> (0, 1)", "a linear layout as Triton prints it, all its lines", ""}};
}

}  // namespace

std::vector<HelpEntry> layout_words() {
  std::vector<HelpEntry> entries = {
      {"SHAPE:STRIDE",
       "maps coordinates to offsets: the sum of coordinate times stride, mode by mode",
       layout_drawing("(4,6):(6,1)")},
      {"((a,b),c):((d,e),f)", "modes nest; the first part of a mode runs fastest",
       layout_drawing("((2,2),4):((1,8),2)")},
      {"Sw<B,M,S> o OFFSET o LAYOUT",
       "a swizzle: XORs the B bits from bit M + S into the B bits from bit M",
       layout_drawing("Sw<2,0,2> o 0 o (4,4):(4,1)")},
      {"LAYOUT(COORDINATE)", "the offset of one coordinate", call_drawing("(4,6):(6,1)(2,3)")}};
  for (const std::vector<HelpEntry>& words : {cute_words(), compiler_words()}) {
    entries.insert(entries.end(), words.begin(), words.end());
  }
  for (const std::string_view name : operation_names()) {
    const Call call = call_named(name);
    const std::string drawing = *call.example == '\0' ? "" : call_drawing(call.example);
    entries.push_back({std::string(name), call.meaning, drawing});
  }
  for (const std::string_view name : layout_dialect_names()) {
    const ComposedLayout layout = parse_layout("Sw<2,0,2> o 0 o (4,4):(4,1)");
    entries.push_back({format("--dialect {}", name), "the same layout as another program prints it",
                       format("{}\n", print_layout(layout, parse_layout_dialect(name)))});
  }
  return entries;
}

}  // namespace tilewright
