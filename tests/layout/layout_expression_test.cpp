#include "layout/text/layout_expression.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "support/error_message.hpp"
#include "support/evaluation.hpp"

using namespace tilewright;

namespace {

using testing::contains;
using testing::evaluated;
using testing::evaluation_error;

}  // namespace

TEST_CASE("every notation of a swizzled layout gives the same layout") {
  for (const char* text :
       {"Sw<3,3,3> o 0 o (8,64):(64,1)", "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)",
        "S<3,3,3> o 0 o (8,64):(64,1)", "SW_3_3_3 o 0 o (8, 64):(64, 1)",
        "Swizzle<3,3,3> o (8,64):(64,1)", "Swizzle(3, 3, 3) o 0 o (8,64):(64,1)",
        "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)",
        "Sw<3,4,3>_smem_ptr[16b](0x7f0000000400) o (_8,_64):(_64,_1)",
        "composition(Sw<3,3,3>, (8,64):(64,1))", "(Sw<3,3,3> o (8,64):(64,1))"}) {
    CAPTURE(text);
    CHECK(evaluated(text) == "Sw<3,3,3> o 0 o (8,64):(64,1)");
  }
}

TEST_CASE("a shape alone is compact, first mode fastest") {
  CHECK(to_string(parse_layout("(8,64)")) == "(8,64):(1,8)");
  CHECK(to_string(parse_layout("(4,1,3)")) == "(4,1,3):(1,0,4)");
  CHECK(to_string(parse_layout("8")) == "8:1");
}

TEST_CASE("a layout applies to a coordinate or an index") {
  CHECK(evaluated("(8,64):(64,1)(3,5)") == "197");
  CHECK(evaluated("(8,64):(64,1)(43)") == "197");
  CHECK(evaluated("Sw<3,3,3> o 0 o (8,64):(64,1)(3,8)") == "208");
  CHECK(evaluated("((2,4),3):((1,2),8)((1,2),1)") == "13");
  CHECK(evaluated("(8,4):(1@0,1@1)(3,2)") == "(3,2)");
  CHECK(contains(evaluation_error("(8,64):(64,1)(8,0)"), "out of range"));
  CHECK(contains(evaluation_error("(8,64):(64,1)(1,2,3)"), "has 3 modes"));
}

TEST_CASE("errors name the column and what was expected") {
  CHECK(contains(evaluation_error("(8:1"), "column 5: expected ')' or ',', found the end"));
  CHECK(contains(evaluation_error("8:?{div=3}"), "a multiple of 3"));
  CHECK(contains(evaluation_error("(8,64):(64,?)"), "write a number in its place"));
  CHECK(contains(evaluation_error("compostion(4:1,3:2)"), "did you mean 'composition'?"));
  CHECK(contains(evaluation_error("8:1 9"), "expected the end"));
  CHECK(contains(evaluation_error("(8,4):1"), "do not have the same nesting"));
  CHECK(contains(evaluation_error("0:1"), "is not positive"));
  CHECK(contains(evaluation_error("()"), "empty"));
  CHECK(contains(evaluation_error(""), "the end"));
  CHECK(contains(evaluation_error("99999999999999999999"), "does not fit in 64 bits"));
  CHECK(contains(evaluation_error("coalesce((4294967296,4294967296))"), "overflow"));
  CHECK(contains(evaluation_error(std::string(64, '(') + "1" + std::string(64, ')')),
                 "nest deeper than"));
  CHECK(contains(evaluation_error("Sw<3,3,2> o 8:1"), "|S| is less than B"));
}
