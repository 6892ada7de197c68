// Results that CuTe C++ printed for the same expressions, strides of size-1 modes aside.

#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "layout/algebra/derivation.hpp"
#include "layout/text/layout_expression.hpp"
#include "support/error_message.hpp"
#include "support/evaluation.hpp"

using namespace tilewright;

namespace {

using testing::contains;
using testing::evaluated;
using testing::evaluation_error;

struct Golden {
  const char* expression;
  const char* result;
};

void check_all(std::initializer_list<Golden> goldens) {
  for (const Golden& golden : goldens) {
    CAPTURE(golden.expression);
    CHECK(evaluated(golden.expression) == golden.result);
  }
}

}  // namespace

TEST_CASE("complement and composition") {
  check_all({
      {"complement(4:2, 19)", "(2,3):(1,8)"},
      {"complement((2,2):(1,6), 24)", "(3,2):(2,12)"},
      {"complement(4:1, 24)", "6:4"},
      {"complement(6:4, 24)", "4:1"},
      {"(6,2):(8,2) o (4,3):(3,1)", "((2,2),3):((24,2),8)"},
      {"(10,2):(16,4) o (5,4):(1,5)", "(5,(2,2)):(16,(80,4))"},
      {"20:2 o (5,4):(4,1)", "(5,4):(8,2)"},
      {"(8,8):(8,1) o 2:3", "2:24"},
      {"(4,8):(1@0,1@1) o 8:2", "(2,4):(2@0,1@1)"},
      {"(4,8):(8,1) o (4,2):(1@0,4@1)", "(4,2):(8,4)"},
  });
}

TEST_CASE("divides and products") {
  check_all({
      {"logical_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>)",
       "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))"},
      {"zipped_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>)",
       "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))"},
      {"tiled_divide((9,(4,8)):(59,(13,1)), [3:3;(2,4):(1,8)])",
       "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))"},
      {"flat_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>)",
       "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))"},
      {"logical_divide((4,2,3):(2,1,8), 4:2)", "((2,2),(2,3)):((4,1),(2,8))"},
      {"logical_product((2,2):(4,1), 6:1)", "((2,2),(2,3)):((4,1),(2,8))"},
      {"blocked_product((2,5):(5,1),(3,4):(1,3))", "((2,3),(5,4)):((5,10),(1,30))"},
      {"raked_product((2,5):(5,1),(3,4):(1,3))", "((3,2),(4,5)):((10,5),(30,1))"},
      {"tile_to_shape(Sw<3,3,3> o (8,64):(64,1), (128,64,3))",
       "Sw<3,3,3> o 0 o ((8,16),(64,1),(1,3)):((64,512),(1,0),(0,8192))"},
      {"tile_to_shape((8,64):(64,1), (128,64))", "((8,16),(64,1)):((64,512),(1,0))"},
      {"tile_to_shape((64,8):(1,64), (128,64), (1,2))", "((64,2),(8,8)):((1,512),(64,1024))"},
  });
}

TEST_CASE("inverses") {
  check_all({
      {"right_inverse((2,4):(0,1))", "4:2"},
      {"right_inverse((4,8):(8,1))", "(8,4):(4,1)"},
      {"left_inverse((4,2):(1,16))", "(16,2):(1,4)"},
      {"left_inverse((4,2):(1,5))", "(5,2):(1,4)"},
      {"right_inverse(Sw<3,3,3> o 0 o (8,64):(64,1))", "Sw<3,0,-6> o 0 o (64,8):(8,1)"},
      {"right_inverse(Sw<3,4,3>)", "Sw<3,4,3>"},
  });
}

TEST_CASE("recasts and units") {
  check_all({
      {"recast(Sw<3,3,3> o 0 o (8,64):(64,1), 16, 32)", "Sw<3,2,3> o 0 o (8,32):(32,1)"},
      {"recast(Sw<3,3,3> o 0 o (8,64):(64,1), 16, 128)", "Sw<3,0,3> o 0 o (8,8):(8,1)"},
      // The canonical wgmma layouts, in bits, on halves and floats.
      {"recast(Sw<3,4,3> o smem_ptr[8b](unset) o (8,128):(128,1), 8, 16)",
       "Sw<3,3,3> o 0 o (8,64):(64,1)"},
      {"recast((8,1024):(1024,1), 1, 16)", "(8,64):(64,1)"},
      {"recast((8,1024):(1024,1), 1, 32)", "(8,32):(32,1)"},
      {"Sw<3,4,3> o smem_ptr[32b](unset) o (8,32):(32,1)", "Sw<3,2,3> o 0 o (8,32):(32,1)"},
      {"recast((8,4):(4,1), 32, 8)", "(8,16):(16,1)"},
  });
}

TEST_CASE("swizzles merge") {
  check_all({
      {"composition(Sw<2,0,3>, Sw<1,0,3>)", "Sw<1,1,3>"},
      {"composition(Sw<2,0,3>, Sw<2,0,3> o 8:1)", "8:1"},
  });
  CHECK(contains(evaluation_error("composition(Sw<2,0,3>, Sw<2,0,4>)"), "their shifts differ"));
}

TEST_CASE("an operation without a result names the mode and the reason") {
  CHECK(contains(evaluation_error("complement((2,2):(2,3), 12)"),
                 "not injective: mode 2:3 steps by 3"));
  CHECK(contains(evaluation_error("complement((2,2):(-1,2), 12)"),
                 "mode 2:-1 has a negative stride"));
  CHECK(contains(evaluation_error("(4,6):(6,1) o 3:6"),
                 "mode 3:6 of B does not divide: its stride is 6"));
  CHECK(
      contains(evaluation_error("(4,6):(1,8) o 6:1"), "mode 6:1 of B does not divide: 4 elements"));
  CHECK(contains(evaluation_error("logical_divide((4,6), <2,3,2>)"), "has 3 modes"));
  CHECK(contains(evaluation_error("tile_to_shape((8,64), (12,64))"),
                 "mode 0 of the block has 8 elements"));
  CHECK(contains(evaluation_error("recast((6,4):(4,3), 8, 16)"), "mode 4:3 does not divide"));
  CHECK(contains(evaluation_error("recast((6,4):(4,2), 16, 8)"), "no mode of stride 1"));
  CHECK(contains(evaluation_error("left_inverse((4,2):(2,3))"), "mode 2:3 does not divide"));
  CHECK(contains(evaluation_error("right_inverse(Sw<2,0,3> o 4 o (8,4))"), "offset 4"));
}

TEST_CASE("results that CuTe accepts and that are not A(B(c)) come with a warning") {
  Derivation uneven;
  CHECK(to_string(evaluate_layout("(10,2):(16,4) o 6:4", &uneven)) == "(3,2):(64,4)");
  bool warned = false;
  for (const LayoutLint& lint : uneven.lints())
    warned = warned || lint.code == "composition-differs";
  CHECK(warned);
  Derivation beyond;
  evaluate_layout("composition((4,2):(1,4), 16:1)", &beyond);
  REQUIRE(beyond.lints().size() == 1);
  CHECK(beyond.lints()[0].code == "out-of-domain");
}
