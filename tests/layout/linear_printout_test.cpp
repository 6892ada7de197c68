#include "layout/text/linear_printout.hpp"

#include <doctest/doctest.h>

#include "layout/text/triton_dialect.hpp"
#include "support/error_message.hpp"
#include "support/evaluation.hpp"

using namespace tilewright;
using testing::layout_read;

TEST_CASE("Triton's printout of a linear layout is read") {
  const char* const text =
      " - register=1 -> (0, 1)\n   register=2 -> (8, 0)\n - lane=1 -> (0, 2)\n   lane=2 -> (0, 4)\n"
      "   lane=4 -> (1, 0)\n   lane=8 -> (2, 0)\n   lane=16 -> (4, 0)\n - warp is a size 1 "
      "dimension\n - block is a size 1 dimension\nwhere out dims are: [dim0 (size 16), dim1 (size "
      "8)]\n";
  CHECK(
      parse_triton(text) ==
      parse_triton("#ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, "
                   "0], [4, 0]], warp = [], block = []}>"));
  CHECK(to_string(layout_read(text)) == "((4,8),(2,2)):((32,1),(16,8))");
  // Without the last line; in a comment; an offset means shared memory.
  CHECK(to_string(layout_read("// - offset=1 -> (0, 1)\n//   offset=2 -> (1, 0)")) ==
        "(2,2):(2,1)");
}

TEST_CASE("a bad printout is refused with the reason") {
  const auto why = [](const char* text) {
    return testing::error_message_of([&] { layout_read(text); });
  };
  using testing::contains;
  CHECK(contains(why("- lane=1 -> (0, 1)\n lane=4 -> (0, 2)"), "expected lane=2"));
  CHECK(contains(why("- lane=1 -> (0, 1)\n lane=2 -> (2)"), "different ranks"));
  CHECK(contains(why("- lane=1 -> (4)\nwhere out dims are: [dim0 (size 4)]"), "does not contain"));
  CHECK(contains(why("- lane=1 -> (x)"), "is not a number"));
}
