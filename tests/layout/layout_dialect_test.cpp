#include "layout/text/layout_dialect.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "layout/text/layout_expression.hpp"
#include "support/layout_oracle.hpp"

using namespace tilewright;

namespace {

std::string printed(const char* text, LayoutDialect dialect) {
  return print_layout(parse_layout(text), dialect);
}

bool warns(const char* text, LayoutDialect dialect, std::string_view code) {
  for (const LayoutLint& lint : dialect_lints(parse_layout(text), dialect)) {
    if (lint.code == code) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("the text of a dialect parses back to the same layout") {
  LayoutMaker make(11);
  for (int i = 0; i < 5000; ++i) {
    const ComposedLayout c = make.composed();
    for (const LayoutDialect dialect :
         {LayoutDialect::Canonical, LayoutDialect::CuteCpp, LayoutDialect::CuteDsl,
          LayoutDialect::Pycute, LayoutDialect::Cutegen}) {
      const std::string text = print_layout(c, dialect);
      REQUIRE_MESSAGE(parse_layout(text) == make_composed(c.swizzle, c.offset, c.layout), text);
    }
  }
}

TEST_CASE("golden: a layout in each dialect") {
  const char* const text = "Sw<3,3,3> o 0 o (8,(64,1)):(64,(1,0))";
  CHECK(printed(text, LayoutDialect::CuteCpp) == "Sw<3,3,3> o _0 o (_8,(_64,_1)):(_64,(_1,_0))");
  CHECK(printed(text, LayoutDialect::CuteDsl) == "S<3,3,3> o 0 o (8,(64,1)):(64,(1,0))");
  CHECK(printed(text, LayoutDialect::Cutegen) == "S<3,3,3> o 0 o (8,(64,1)):(64,(1,0))");
  CHECK(printed(text, LayoutDialect::Pycute) == "SW_3_3_3 o 0 o (8, (64, 1)):(64, (1, 0))");
  CHECK(printed("(8):(1)", LayoutDialect::Pycute) == "(8,):(1,)");
  CHECK(printed("4:-1", LayoutDialect::CuteCpp) == "_4:_-1");
  CHECK_THROWS_AS(printed("(8,4):(1@0,1@1)", LayoutDialect::Pycute), Error);
  CHECK(parse_layout_dialect("cute-cpp") == LayoutDialect::CuteCpp);
  CHECK_THROWS_AS(parse_layout_dialect("cutecpp"), Error);
}

TEST_CASE("a warning names where a dialect disagrees") {
  CHECK(warns("Sw<3,0,3> o 8:8", LayoutDialect::Pycute, "pycute-cosize"));
  CHECK(warns("4:-1", LayoutDialect::Pycute, "pycute-cosize"));
  CHECK(warns("Sw<3,20,20> o 8:8", LayoutDialect::Cutegen, "cutegen-swizzle"));
  CHECK(warns("complement(4:1,4)", LayoutDialect::Cutegen, "cutegen-unit-stride"));
  CHECK(warns("(4,1):(1,4)", LayoutDialect::CuteCpp, "cute-cpp-unit-stride"));
  CHECK(dialect_lints(parse_layout("(8,64):(64,1)"), LayoutDialect::CuteCpp).empty());
}
