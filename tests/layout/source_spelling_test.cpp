// Layouts as programs write them: CuTe C++ types and calls, CuTe DSL and pycute calls.
#include <doctest/doctest.h>

#include "layout/text/layout_dialect.hpp"
#include "layout/text/layout_expression.hpp"
#include "support/complaint.hpp"

using namespace tilewright;
using testing::complaint_of;
using testing::contains;

TEST_CASE("source spellings mean the layouts that they make") {
  struct Case {
    const char* source;
    const char* layout;
  };
  constexpr Case kCases[] = {
      // Types, as code and as compilers print them.
      {"cute::Layout<Shape<_8,_64>,Stride<_64,_1>>", "(8,64):(64,1)"},
      {"Layout<Shape<_8,_64>>", "(8,64):(1,8)"},
      {"cute::Layout<cute::tuple<cute::C<8>, cute::C<64>>, cute::tuple<cute::C<64>, cute::C<1>>>",
       "(8,64):(64,1)"},
      {"Layout<Shape<Shape<_2,_4>,_8>, Stride<Stride<_1,_16>,_2>>{}", "((2,4),8):((1,16),2)"},
      {"ComposedLayout<Swizzle<3,3,3>, _0, Layout<Shape<_8,_64>,Stride<_64,_1>>>",
       "Sw<3,3,3> o 0 o (8,64):(64,1)"},
      {"cute::ComposedLayout<cute::Swizzle<3,4,3>, cute::smem_ptr_flag_bits<16>, "
       "Layout<Shape<_8,_64>,Stride<_64,_1>>>",
       "Sw<3,3,3> o 0 o (8,64):(64,1)"},
      // Calls of C++.
      {"make_layout(make_shape(_8{}, _64{}), make_stride(_64{}, _1{}))", "(8,64):(64,1)"},
      {"cute::make_layout(cute::make_shape(Int<8>{}, Int<64>{}), LayoutRight{})", "(8,64):(64,1)"},
      {"make_layout(Shape<_8,_64>{}, GenColMajor{})", "(8,64):(1,8)"},
      {"make_layout(make_shape(make_shape(2, 4), 3), cute::LayoutRight{})", "((2,4),3):((12,3),1)"},
      {"composition(Swizzle<3,3,3>{}, Layout<Shape<_8,_64>,Stride<_64,_1>>{})",
       "Sw<3,3,3> o 0 o (8,64):(64,1)"},
      {"make_layout(make_layout(4, 2), make_layout(3, 1))", "(4,3):(2,1)"},
      // Calls of Python.
      {"cute.make_layout((8, 64), stride=(64, 1))", "(8,64):(64,1)"},
      {"cute.make_layout(((2, 4), 8))", "((2,4),8):((1,2),8)"},
      {"cute.make_ordered_layout((4, 8), order=(1, 0))", "(4,8):(8,1)"},
      {"cute.make_composed_layout(cute.make_swizzle(3, 2, 3), 0, "
       "cute.make_layout((8, 32), stride=(32, 1)))",
       "Sw<3,2,3> o 0 o (8,32):(32,1)"},
      {"Layout((8, 64), (64, 1))", "(8,64):(64,1)"},
      {"cutlass.cute.make_layout((8,), stride=(2,))", "(8):(2)"}};
  for (const Case& c : kCases) {
    CAPTURE(c.source);
    CHECK(to_string(parse_layout(c.source)) == c.layout);
  }
}

TEST_CASE("what every dialect prints reads back") {
  for (const char* text :
       {"(8,64):(64,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)", "((2,4),(4,16)):((1,8),(2,32))"}) {
    for (const std::string_view name : layout_dialect_names()) {
      const LayoutDialect dialect = parse_layout_dialect(name);
      if (dialect == LayoutDialect::Triton) continue;  // its texts are attributes
      CAPTURE(name);
      CHECK(parse_layout(print_layout(parse_layout(text), dialect)) == parse_layout(text));
    }
  }
}

TEST_CASE("what is no source spelling says so") {
  const auto said = [](const char* text) { return complaint_of([text] { parse_layout(text); }); };
  CHECK(contains(said("cute.make_layot((8,64))"), "make_layot"));
  CHECK(contains(said("Layout<"), "expected"));
  CHECK(contains(said("make_layout(LayoutRight{})"), "a shape stands before"));
  CHECK(contains(said("make_layout((8,2),(1,8),3)"), "a layout has a shape and a stride"));
  CHECK(contains(said("make_composed_layout((8,2),1,(8,2))"), "only a swizzle"));
  CHECK(contains(said("Int<x>"), "a static number"));
  CHECK(contains(said("cute."), "expected"));
}
