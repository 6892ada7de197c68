#include "draw/machine_font.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace tilewright;

TEST_CASE("a machine font is an existing file, and a private-use code point has none") {
  for (const char32_t code : {U'A', U'\u0531', U'\u5e8f', U'\U0001f680'}) {
    CAPTURE(static_cast<uint32_t>(code));
    for (const bool bold : {false, true}) {
      const std::optional<MachineFont> font = machine_font(code, bold);
      if (font) CHECK(std::filesystem::is_regular_file(font->file));
    }
  }
  CHECK_FALSE(machine_font(U'\U000efffd', false));  // a private-use code point
}
