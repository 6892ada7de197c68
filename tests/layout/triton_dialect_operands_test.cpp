// dot_op and slice against PTX's tables of mma.m16n8k16, element by element.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "base/text.hpp"
#include "layout/text/triton_dialect.hpp"
#include "support/error_message.hpp"
#include "support/evaluation.hpp"

using namespace tilewright;
using testing::layout_read;

namespace {

constexpr const char* kMma =
    "#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape "
    "= [16, 8]}>\n";

}  // namespace

TEST_CASE("dot_op equals the registers of mma.m16n8k16's threads") {
  const ComposedLayout a =
      layout_read(kMma + std::string("#a = #ttg.dot_op<{opIdx = 0, parent = #mma, "
                                     "kWidth = 2}>"));
  const ComposedLayout b =
      layout_read(kMma + std::string("#b = #ttg.dot_op<{opIdx = 1, parent = #mma, "
                                     "kWidth=2}>"));
  for (int64_t lane = 0; lane < 32; ++lane) {
    for (int64_t i = 0; i < 8; ++i) {
      // PTX: row = groupID, + 8 for a2, a3, a6, a7; col = 2 * threadID + (i & 1), + 8 from a4 on.
      const int64_t row = lane / 4 + (i / 2 % 2 == 1 ? 8 : 0);
      const int64_t col = lane % 4 * 2 + i % 2 + (i >= 4 ? 8 : 0);
      CHECK(offset_at(a, IntTuple({lane, i})) == row + 16 * col);
    }
    for (int64_t i = 0; i < 4; ++i) {
      const int64_t row = lane % 4 * 2 + i % 2 + (i >= 2 ? 8 : 0);
      CHECK(offset_at(b, IntTuple({lane, i})) == row + 16 * (lane / 4));
    }
  }
}

TEST_CASE("warps along K hold the same operand; a larger tensor repeats along K first") {
  const std::string text = to_string(parse_triton(
      "tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, "
      "versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>, kWidth = 2}>>"));
  CHECK(text ==
        "#ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [32, 0]], lane = [[0, 2], [0, "
        "4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [16, 0]], block = []}>");
}

TEST_CASE("slice drops a dimension and the registers along it") {
  const std::string parent =
      "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order "
      "= [1, 0]}>";
  const auto linear = [](const std::string& text) { return to_string(parse_triton(text)); };
  CHECK(linear("tensor<64xi32, #ttg.slice<{dim = 1, parent = " + parent + "}>>") ==
        "#ttg.linear<{register = [[16], [32]], lane = [[0], [0], [0], [1], [2]], warp = [[4], "
        "[8]], block = []}>");
  CHECK(linear("tensor<64xi32, #ttg.slice<{dim = 0, parent = " + parent + "}>>") ==
        "#ttg.linear<{register = [[1], [2], [4]], lane = [[8], [16], [32], [0], [0]], warp = "
        "[[0], [0]], block = []}>");
  CHECK(linear("#blocked = " + parent +
               "\n#s = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 2, parent = "
               "#ttg.blocked<{sizePerThread = [1, 2, 1], threadsPerWarp = [1, 32, 1], warpsPerCTA "
               "= [1, 4, 1], order = [1, 0, 2]}>}>}>") ==
        "#ttg.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], "
        "block = []}>");
}

TEST_CASE("an impossible operand is refused with the reason") {
  const auto why = [](const std::string& text) {
    return testing::error_message_of([&] { layout_read(text); });
  };
  using testing::contains;
  CHECK(contains(why("#ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>"),
                 "'#mma' is not defined"));
  CHECK(
      contains(why(kMma + std::string("#a = #ttg.dot_op<{opIdx = 2, parent = #mma, kWidth = 2}>")),
               "neither 0 nor 1"));
  CHECK(contains(why("#ttg.dot_op<{opIdx = 0, kWidth = 2}>"), "parent is missing"));
  CHECK(contains(why(kMma + std::string("#s = #ttg.slice<{dim = 2, parent = #mma}>")), "dim is 2"));
}
