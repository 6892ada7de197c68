
#include <doctest/doctest.h>

#include "base/text.hpp"

namespace tilewright {
namespace {

TEST_CASE("a number of bytes has its own unit, and other numbers can be printed in it") {
  for (double bytes = 1; bytes < 1e16; bytes *= 7) {
    CAPTURE(bytes);
    const ByteUnit unit = byte_unit(bytes);
    CHECK(bytes >= unit.bytes);
    CHECK((bytes < 1000 * unit.bytes || unit.name == "TB"));
    CHECK(bytes_text(bytes, unit) == human_bytes(bytes));
  }
  const ByteUnit gigabytes = byte_unit(1.34e9);
  CHECK(bytes_text(134.2e6, gigabytes) == "0.13 GB");
  CHECK(bytes_text(0, byte_unit(0)) == "0 B");
  CHECK(megabytes_text(1342177280) == "1342.18");
}

}  // namespace
}  // namespace tilewright
