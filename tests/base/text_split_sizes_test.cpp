#include <doctest/doctest.h>

#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace tilewright {
namespace {

TEST_CASE("sizes are parted at an x of either case, and at nothing else") {
  using Sizes = std::vector<std::string_view>;
  CHECK(split_sizes("128x256x64") == Sizes{"128", "256", "64"});
  CHECK(split_sizes("13X10") == Sizes{"13", "10"});
  CHECK(split_sizes("1X2x3") == Sizes{"1", "2", "3"});
  CHECK(split_sizes("8*8") == Sizes{"8*8"});
  CHECK(split_sizes("x8x") == Sizes{"", "8", ""});
  CHECK(split_sizes("") == Sizes{""});
}

}  // namespace
}  // namespace tilewright
