#include "layout/smem/wgmma_layout.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "layout/text/layout_expression.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

std::string name(const std::string& layout, int element_bytes = 2) {
  const WgmmaMatch match = match_wgmma(parse_layout(layout), element_bytes);
  CHECK(match.layout.has_value() == match.why_not.empty());
  return match.layout ? match.layout->name : match.why_not;
}

using testing::contains;

TEST_CASE("golden: atoms of 16-bit elements and their tile_to_shape") {
  CHECK(name("(8,8):(8,1)") == "K_INTER");
  CHECK(name("Sw<1,3,3> o 0 o (8,16):(16,1)") == "K_SW32");
  CHECK(name("Sw<2,3,3> o 0 o (8,32):(32,1)") == "K_SW64");
  CHECK(name("Sw<3,3,3> o 0 o (8,64):(64,1)") == "K_SW128");
  CHECK(name("Sw<3,3,3> o 0 o (64,8):(1,64)") == "MN_SW128");
  CHECK(name("Sw<1,3,3> o 0 o (16,8):(1,16)") == "MN_SW32");
  const WgmmaMatch tile =
      match_wgmma(parse_layout("Sw<3,3,3> o 0 o ((8,16),(64,2)):((64,512),(1,8192))"), 2);
  REQUIRE(tile.layout);
  CHECK(*tile.layout == WgmmaLayout{"K_SW128", 1024, 16384});
  const WgmmaMatch along_m =
      match_wgmma(parse_layout("Sw<3,3,3> o 0 o ((64,2),(8,8)):((1,512),(64,1024))"), 2);
  REQUIRE(along_m.layout);
  CHECK(*along_m.layout == WgmmaLayout{"MN_SW128", 1024, 2048});
}

TEST_CASE("other element widths move the swizzle's base; they are K-major only") {
  CHECK(name("Sw<3,2,3> o 0 o (8,32):(32,1)", 4) == "K_SW128");
  CHECK(name("Sw<3,4,3> o 0 o (8,128):(128,1)", 1) == "K_SW128");
  CHECK(contains(name("Sw<3,2,3> o 0 o (32,8):(1,32)", 4), "not K_SW128"));
}

TEST_CASE("a layout that is no wgmma layout gets the reason") {
  CHECK(contains(name("Sw<3,3,4> o 0 o (8,64):(64,1)"), "Sw<3,3,4> is not a swizzle of wgmma"));
  CHECK(contains(name("Sw<3,4,3> o 0 o (8,128):(128,1)"), "Sw<1,3,3>, Sw<2,3,3> and Sw<3,3,3>"));
  CHECK(contains(name("Sw<3,3,3> o 0 o (8,64):(72,1)"), "line 1, place 0 is at 72, expected 64"));
  CHECK(contains(name("Sw<3,3,3> o 0 o (8,32):(32,1)"), "not blocks of 8 lines of 64"));
  CHECK(contains(name("(64,64):(64,1)"), "not K_INTER"));
  CHECK(contains(name("Sw<3,3,3> o 0 o ((8,2),64):((64,520),1)"), "begins at 520"));
  CHECK_THROWS_AS(match_wgmma(parse_layout("8:1"), 2), Error);
}

}  // namespace
}  // namespace tilewright
