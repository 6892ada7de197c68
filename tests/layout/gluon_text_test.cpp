#include "layout/text/gluon_text.hpp"

#include <doctest/doctest.h>

#include <string>

#include "layout/text/triton_dialect.hpp"
#include "support/error_message.hpp"
#include "support/evaluation.hpp"

using namespace tilewright;
using testing::layout_read;

TEST_CASE("a Gluon layout becomes the attribute that Triton makes from it") {
  struct Pair {
    const char* gluon;
    const char* ttgir;
  };
  for (
      const Pair& pair : {
          Pair{"gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])",
               "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, "
               "1], order = [1, 0]}>"},
          Pair{"layout: gl.constexpr = ttgl.BlockedLayout(size_per_thread=[1, 4], "
               "threads_per_warp=(1, 32), warps_per_cta=[4, 1], order=[1, 0])",
               "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, "
               "1], order = [1, 0]}>"},
          Pair{"gl.SliceLayout(0, gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))",
               "#ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp "
               "= [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>}>"},
          Pair{"gl.NVMMASharedLayout(swizzle_byte_width=128, transposed=True, "
               "element_bitwidth=16, rank=2)",
               "#ttg.nvmma_shared<{swizzlingByteWidth = 128, elementBitWidth = 16, transposed = "
               "true}>"},
          Pair{
              "smem = gl.allocate_shared_memory(gl.float16, [64, 128], "
              "gl.SwizzledSharedLayout(8, 1, 8, order=[1, 0]))",
              "tensor<64x128xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order "
              "= [1, 0]}>>"},
          Pair{"gl.DotOperandLayout(operand_index=0, parent=gl.NVMMADistributedLayout(version=[2, "
               "0], warps_per_cta=[4, 1], instr_shape=[16, 8]), k_width=2)",
               "#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = "
               "0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>, kWidth = 2}>"},
          Pair{"ttgl.DistributedLinearLayout(reg_bases=[[1]], lane_bases=[[2], [4], [8], [16], "
               "[32]], warp_bases=[[64], [128]], block_bases=[], shape=[256])",
               "#ttg.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], "
               "[128]], block = []}>"},
          Pair{"gl.PaddedSharedLayout.with_identity_for([[4, 4]], [16, 256], [1, 0])",
               "#ttg.padded_shared<[4:+4] {order = [1, 0], shape = [16, 256]}>"},
      }) {
    CAPTURE(pair.gluon);
    CHECK(parse_triton(pair.gluon) == parse_triton(pair.ttgir));
    CHECK(layout_read(pair.gluon) == layout_read(pair.ttgir));
  }
}

TEST_CASE("an impossible Gluon layout is refused with the reason") {
  const auto why = [](const char* text) {
    return testing::error_message_of([&] { layout_read(text); });
  };
  using testing::contains;
  CHECK(contains(why("gl.BlockedLayout(size_per_tread=[1])"), "did you mean 'size_per_thread'?"));
  CHECK(contains(why("gl.BlockedLayout([1], [32], [4], [0], [1], [1], [0], 1)"),
                 "more than 7 arguments"));
  CHECK(contains(why("gl.SliceLayout(0, parent_layout)"), "is not a layout"));
  CHECK(contains(why("gl.BlockedLayout([1], [32"), "expected ')'"));
}
