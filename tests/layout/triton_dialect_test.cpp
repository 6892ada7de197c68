// Bases as Triton's own converter makes them for the same attributes and tensors.
#include "layout/text/triton_dialect.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "layout/algebra/layout_comparison.hpp"
#include "layout/text/layout_expression.hpp"
#include "support/error_message.hpp"

using namespace tilewright;

namespace {

std::string linear_text(const char* text) {
  return to_string(parse_triton(text));
}

std::string why(const char* text) {
  return testing::error_message_of([&] { layout_of(parse_triton(text)); });
}

using testing::contains;

}  // namespace

TEST_CASE("blocked: repeated over a larger tensor, cut to a smaller one") {
  CHECK(linear_text("tensor<128xf16, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [4], "
                    "warpsPerCTA = [4], order = [0]}>>") ==
        "#ttg.linear<{register = [[16], [32], [64]], lane = [[1], [2]], warp = [[4], [8]], "
        "block = []}>");
  CHECK(linear_text("tensor<8xf16, #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [4], "
                    "warpsPerCTA = [4], order = [0]}>>") ==
        "#ttg.linear<{register = [[1], [2]], lane = [[4], [0]], warp = [[0], [0]], block = []}>");
  CHECK(
      linear_text("tensor<1x64xf32, #triton_gpu.blocked<{sizePerThread = [1, 1], threadsPerWarp = "
                  "[32, 1], warpsPerCTA = [1, 8], order = [0, 1]}>>") ==
      "#ttg.linear<{register = [[0, 8], [0, 16], [0, 32]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], "
      "[0, 0]], warp = [[0, 1], [0, 2], [0, 4]], block = []}>");
}

TEST_CASE("blocked: over the blocks of a cluster") {
  CHECK(linear_text(
            "tensor<1024x128xf16, #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [4, "
            "8], warpsPerCTA = [2, 2], order = [1, 0], CTAsPerCGA = [2, 2], CTASplitNum = [2, "
            "2], CTAOrder = [1, 0]}>>") ==
        "#ttg.linear<{register = [[0, 1], [1, 0], [0, 32], [16, 0], [32, 0], [64, 0], [128, 0], "
        "[256, 0]], lane = [[0, 2], [0, 4], [0, 8], [2, 0], [4, 0]], warp = [[0, 16], [8, 0]], "
        "block = [[0, 64], [512, 0]]}>");
  CHECK(
      linear_text("tensor<32xf16, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [4], "
                  "warpsPerCTA = [4], order = [0], CTAsPerCGA = [4], CTASplitNum = [2], CTAOrder = "
                  "[0]}>>") ==
      "#ttg.linear<{register = [], lane = [[1], [2]], warp = [[4], [8]], block = [[16], [0]]}>");
}

TEST_CASE("the accumulators of mma and wgmma") {
  CHECK(
      linear_text("tensor<32x32xf32, #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, "
                  "warpsPerCTA = [1, 1], instrShape = [16, 8]}>>") ==
      "#ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [16, 0]], lane = [[0, 2], [0, 4], "
      "[1, 0], [2, 0], [4, 0]], warp = [], block = []}>");
  CHECK(
      linear_text("tensor<128x16xf32, #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, "
                  "warpsPerCTA = [4, 1], instrShape = [16, 16, 8]}>>") ==
      "#ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [64, 0]], lane = [[0, 2], [0, 4], [1, 0], "
      "[2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>");
  // CuTe's thread-value layouts of the same accumulators.
  const auto tv = [](const char* text) { return layout_of(parse_triton(text)); };
  CHECK(compare(tv("#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], "
                   "instrShape = [16, 8]}>"),
                parse_layout("((4,8),(2,2)):((32,1),(16,8))"))
            .equal);
  CHECK(compare(tv("#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], "
                   "instrShape = [16, 64, 16]}>"),
                parse_layout("((4,8,4),(2,2,8)):((128,1,16),(64,8,512))"))
            .equal);
}

TEST_CASE("swizzled_shared is CuTe's swizzle, both ways") {
  const char* const text =
      "tensor<8x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, "
      "0]}>>";
  const ComposedLayout swizzled = parse_layout("Sw<3,3,3> o 0 o (8,64):(64,1)");
  CHECK(to_string(layout_of(parse_triton(text))) == "Sw<3,3,3> o 0 o (8,64):(64,1)");
  CHECK(triton_text(swizzled) == text);
  for (const char* other :
       {"(8,64):(64,1)", "Sw<2,3,3> o (32,32):(32,1)", "(64,8):(1,64)",
        "Sw<3,3,3> o (64,64):(1,64)", "Sw<2,3,4> o (16,64):(64,1)", "Sw<3,3,4> o (8,64):(64,1)"}) {
    CAPTURE(other);
    const ComposedLayout layout = parse_layout(other);
    const std::string printed = triton_text(layout);
    CAPTURE(printed);
    CHECK(compare(layout_of(parse_triton(printed)), layout).equal);
  }
}

TEST_CASE("linear layouts are read as they are written") {
  const char* const text =
      "#ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], "
      "warp = [], block = []}>";
  CHECK(linear_text(text) == text);
  CHECK(to_string(layout_of(parse_triton(text))) == "((4,8),(2,2)):((32,1),(16,8))");
}

TEST_CASE("a translation that cannot exist is refused with the reason") {
  CHECK(contains(
      why("#ttg.blocked<{sizePerThread = [1, 3], threadsPerWarp = [8, 4], warpsPerCTA = [1, "
          "1], order = [1, 0]}>"),
      "sizePerThread is 3, which is not a power of two"));
  CHECK(contains(
      why("tensor<100x64xf16, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], "
          "warpsPerCTA = [1, 1], order = [1, 0]}>>"),
      "is 100"));
  CHECK(contains(why("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>"),
                 "needs a tensor of 2 dimensions"));
  CHECK(contains(why("#ttg.blocked<{threadsPerWarp = [8, 4]}>"), "sizePerThread is missing"));
  CHECK(contains(why("#ttg.bloked<{}>"), "did you mean 'blocked'?"));
  CHECK(
      contains(why("#ttg.shared_linear<{offset = [[1], [2], [7]], block = []}>"), "no Sw<B,M,S>"));
  CHECK(contains(why("#ttg.shared_linear<{offset = [[1], [1]], block = []}>"), "not a bijection"));
  CHECK(contains(why("#ttg.blocked<{order = [1, "), "expected"));
}
