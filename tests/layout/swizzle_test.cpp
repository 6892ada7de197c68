#include "layout/algebra/swizzle.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "layout/text/layout_expression.hpp"
#include "support/error_message.hpp"
#include "support/layout_oracle.hpp"

using namespace tilewright;

namespace {

std::string why(int64_t b, int64_t m, int64_t s) {
  return testing::error_message_of([&] { make_swizzle(b, m, s); });
}

// The rows of a layout (mode 0) that the swizzle does not change.
std::vector<int64_t> unchanged_rows(const char* text, const Swizzle& s) {
  const Layout layout = parse_layout(text).layout;
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < layout.shape[0].value(); ++row) {
    bool same = true;
    for (int64_t column = 0; column < layout.shape[1].value(); ++column) {
      const int64_t offset = oracle_offset(oracle_modes(layout), row + column * 32);
      same = same && apply(s, offset) == offset;
    }
    if (same) rows.push_back(row);
  }
  return rows;
}

}  // namespace

TEST_CASE("every swizzle equals its definition bit by bit and is its own inverse") {
  for (int bits = 0; bits <= 4; ++bits) {
    for (int base = 0; base <= 4; ++base) {
      for (int shift = -6; shift <= 6; ++shift) {
        if (shift < bits && -shift < bits) continue;
        const Swizzle s = make_swizzle(bits, base, shift);
        bool right = true;
        for (int64_t offset = 0; offset < 4096; offset += 7) {
          const int64_t moved = apply(s, offset);
          right = right && moved == oracle_swizzle(bits, base, shift, offset);
          right = right && apply(s, moved) == offset;
          right = right && apply(s, offset + period(s)) == moved + period(s);
        }
        CHECK_MESSAGE(right, to_string(s));
        if (bits > 0) CHECK(swizzle_of_masks(y_mask(s), z_mask(s)) == s);
      }
    }
  }
}

TEST_CASE("golden: values that CuTe computes") {
  const int64_t expected[] = {0, 9, 18, 27, 4, 13, 22, 31};
  for (int64_t i = 0; i < 8; ++i) CHECK(apply(make_swizzle(2, 0, -3), i) == expected[i]);
  CHECK(apply(make_swizzle(3, 3, 3), 0xDEADBEEF) == 0xDEADBEF7);
  CHECK(apply(make_swizzle(3, 3, 4), 0x12345678) == 0x12345658);
  CHECK(apply(make_swizzle(2, 0, -3), 0x2468134F) == 0x24681357);
  CHECK(apply(make_swizzle(4, 4, -11), 0x24681357) == 0x246A9357);
}

TEST_CASE("masks, merging and units") {
  CHECK(swizzle_of_masks(0b1000, 0b0100) == make_swizzle(1, 2, 1));
  CHECK(swizzle_of_masks(0b11000000, 0b00000110) == make_swizzle(2, 1, 5));
  CHECK_THROWS_AS(swizzle_of_masks(0b101000, 0b11), Error);
  CHECK_THROWS_AS(swizzle_of_masks(0b1000, 0b11), Error);
  CHECK(composition(make_swizzle(2, 0, 3), make_swizzle(1, 0, 3)) == make_swizzle(1, 1, 3));
  CHECK(upcast(make_swizzle(3, 4, 3), 2) == make_swizzle(3, 3, 3));
  CHECK(upcast(make_swizzle(3, 1, 3), 4) == make_swizzle(2, 0, 3));
  CHECK(downcast(make_swizzle(3, 3, 3), 2) == make_swizzle(3, 4, 3));
  CHECK_THROWS_AS(upcast(make_swizzle(3, 4, 3), 3), Error);
}

TEST_CASE("an impossible swizzle is refused with the rule that it breaks") {
  CHECK(why(-1, 0, 3).find("B is negative") != std::string::npos);
  CHECK(why(3, -1, 3).find("M is negative") != std::string::npos);
  CHECK(why(3, 0, 2).find("|S| is less than B") != std::string::npos);
  CHECK(why(20, 30, 40).find("more than 62") != std::string::npos);
  CHECK(why(3, 0, INT64_MIN).find("more than 62") != std::string::npos);
  CHECK(why(3, 4, -3) == "");
}

TEST_CASE("rows whose masked bits are 0 are unchanged") {
  const char* const layout = "(32,16):(16,1)";
  CHECK(unchanged_rows(layout, make_swizzle(4, 0, 4)) == std::vector<int64_t>{0, 16});
  CHECK(unchanged_rows(layout, make_swizzle(3, 0, 4)) == std::vector<int64_t>{0, 8, 16, 24});
  CHECK(unchanged_rows(layout, make_swizzle(4, 0, 5)) == std::vector<int64_t>{0, 1});
}

TEST_CASE("letters mark the bits that are read and the bits that change") {
  CHECK(swizzle_bits({3, 3, 3}, 9) == "YYYZZZxxx");
  CHECK(swizzle_bits({2, 3, 4}, 12) == "xxxYYxxZZxxx");
  CHECK(swizzle_bits({2, 0, -3}, 6) == "xZZxYY");
  CHECK(swizzle_bits({0, 4, 3}, 4) == "xxxx");
  // A bit that is read changes only its partner.
  const Swizzle swizzle{2, 1, 3};
  const std::string letters = swizzle_bits(swizzle, 8);
  for (int bit = 0; bit < 8; ++bit) {
    const int64_t change = apply(swizzle, int64_t{1} << bit) ^ (int64_t{1} << bit);
    CHECK((change != 0) == (letters[static_cast<size_t>(7 - bit)] == 'Y'));
    if (change != 0) {
      CHECK(letters[static_cast<size_t>(7 - bit + swizzle.shift)] == 'Z');
      CHECK(change == int64_t{1} << (bit - swizzle.shift));
    }
  }
}
