#include <doctest/doctest.h>

#include "base/text.hpp"

namespace tilewright {
namespace {

TEST_CASE("percent are read with and without their sign, and nothing else is") {
  CHECK(parse_percent("1") == 1.0);
  CHECK(parse_percent("1%") == 1.0);
  CHECK(parse_percent("0.5 %") == 0.5);
  for (const char* const text : {"", "%", "1%%", "one", "1 percent", "inf%", "%1"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_percent(text).has_value());
  }
}

}  // namespace
}  // namespace tilewright
