// Shared-memory attributes against address rules that are written out here: TMA's boxes with their
// exchanged 16-byte chunks, and elements added behind every interval.
#include "layout/text/triton_shared.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/error_message.hpp"
#include "support/evaluation.hpp"

using namespace tilewright;
using testing::layout_read;

namespace {

// Where TMA puts element (line, i) of a tile of `lines` lines: boxes of `width` elements a line and
// at most 256 lines follow each other; inside a box chunk c of line r lies at c ^ its phase.
struct Boxes {
  int64_t lines = 0;
  int64_t swizzle_bytes = 0;
  int64_t element_bytes = 0;
  bool boxes_along_lines_first = true;

  int64_t offset(int64_t line, int64_t i, int64_t length) const {
    const int64_t width = swizzle_bytes / element_bytes;
    const int64_t box_lines = std::min<int64_t>(lines, 256);
    const int64_t across = i / width;
    const int64_t down = line / box_lines;
    const int64_t box = boxes_along_lines_first ? across * (lines / box_lines) + down
                                                : down * (length / width) + across;
    const int64_t start = line % box_lines * swizzle_bytes;
    const int64_t byte = i % width * element_bytes;
    const int64_t chunk = byte / 16 ^ start / 128 % (swizzle_bytes / 16);
    return (box * box_lines * swizzle_bytes + start + chunk * 16 + byte % 16) / element_bytes;
  }
};

}  // namespace

TEST_CASE("nvmma_shared equals what TMA writes, for every swizzle, type, order and size") {
  for (const int64_t bytes : {32, 64, 128}) {
    for (const int64_t bits : {8, 16, 32}) {
      for (const bool transposed : {false, true}) {
        for (const int64_t rows : {128, 256, 512}) {
          for (const int64_t columns : {128, 512}) {
            const std::string text = format(
                "!ttg.memdesc<{}x{}xi{}, #ttg.nvmma_shared<{{swizzlingByteWidth = {}, transposed = "
                "{}, elementBitWidth = {}}}>, #smem>",
                rows, columns, bits, bytes, transposed ? "true" : "false", bits);
            CAPTURE(text);
            const ComposedLayout layout = layout_read(text);
            // Further boxes follow along dimension 0 first, then along 1.
            const Boxes boxes{transposed ? columns : rows, bytes, bits / 8, !transposed};
            int64_t wrong = 0;
            for (int64_t r = 0; r < rows; r += 1 + r % 7) {
              for (int64_t c = 0; c < columns; c += 1 + c % 7) {
                const int64_t expected =
                    transposed ? boxes.offset(c, r, rows) : boxes.offset(r, c, columns);
                wrong += offset_at(layout, IntTuple({r, c})) == expected ? 0 : 1;
              }
            }
            CHECK(wrong == 0);
          }
        }
      }
    }
  }
}

TEST_CASE("nvmma_shared alone is CUTLASS's atom; without a swizzle it is row-major") {
  CHECK(to_string(layout_read(
            "#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, "
            "elementBitWidth = 16}>")) ==
        to_string(layout_read("GMMA::Layout_K_SW128_Atom<half_t>{}")));
  CHECK(to_string(layout_read("#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, "
                              "elementBitWidth = 16}>")) ==
        to_string(layout_read("GMMA::Layout_MN_SW64_Atom<half_t>{}")));
  CHECK(to_string(layout_read(
            "tensor<64x128xf32, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = "
            "false, elementBitWidth = 32}>>")) == "(64,128):(128,1)");
}

TEST_CASE("padded_shared adds each padding after its interval") {
  const ComposedLayout padded = layout_read(
      "#shared1 = #ttg.padded_shared<[4:+4, 512:+16] {order = [1, 0], shape=[16, 256]}>");
  for (int64_t r = 0; r < 16; ++r) {
    for (int64_t c = 0; c < 256; ++c) {
      const int64_t plain = r * 256 + c;
      CHECK(offset_at(padded, IntTuple({r, c})) == plain + plain / 4 * 4 + plain / 512 * 16);
    }
  }
  // Bases that are written out: rows 0, 2, 4, 6, then 1, 3, 5, 7.
  const ComposedLayout rows = layout_read(
      "#ttg.padded_shared<[16:+2] {offset = [[0, 1], [0, 2], [2, 0], [4, 0], [1, 0]], block = "
      "[]}>");
  for (int64_t r = 0; r < 8; ++r) {
    for (int64_t c = 0; c < 4; ++c) {
      const int64_t plain = c + r / 2 * 4 + r % 2 * 16;
      CHECK(offset_at(rows, IntTuple({r, c})) == plain + plain / 16 * 2);
    }
  }
}

TEST_CASE("an impossible shared-memory attribute is refused with the reason") {
  const auto why = [](const char* text) {
    return testing::error_message_of([&] { layout_read(text); });
  };
  using testing::contains;
  CHECK(contains(why("#ttg.nvmma_shared<{swizzlingByteWidth = 48, transposed = false, "
                     "elementBitWidth = 16}>"),
                 "swizzlingByteWidth is 48"));
  CHECK(contains(why("tensor<4x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = "
                     "false, elementBitWidth = 16}>>"),
                 "smaller than 8 rows of 64"));
  CHECK(contains(why("#ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, "
                     "elementBitWidth = 16}>"),
                 "needs a tensor"));
  CHECK(
      contains(why("#ttg.padded_shared<[3:+4] {order = [0], shape = [8]}>"), "not a power of two"));
  CHECK(contains(why("#ttg.padded_shared<[4:4] {order = [0], shape = [8]}>"), "expected '+'"));
}
