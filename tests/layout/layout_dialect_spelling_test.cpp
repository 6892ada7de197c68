// Layouts as programs write them: CuTe C++ types and calls, CuTe DSL and pycute calls.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "layout/text/layout_dialect.hpp"
#include "layout/text/layout_expression.hpp"
#include "support/error_message.hpp"
#include "support/evaluation.hpp"

using namespace tilewright;
using testing::contains;
using testing::error_message_of;
using testing::evaluated;

namespace {

std::string listed(const std::vector<int64_t>& numbers, const char* before, const char* after) {
  std::vector<std::string> parts;
  for (const int64_t number : numbers) parts.push_back(before + std::to_string(number) + after);
  return join(parts, ", ");
}

std::vector<std::vector<int64_t>> coordinates(const std::vector<int64_t>& shape) {
  std::vector<std::vector<int64_t>> all = {{}};
  for (const int64_t extent : shape) {
    std::vector<std::vector<int64_t>> longer;
    for (const std::vector<int64_t>& one : all) {
      for (int64_t c = 0; c < extent; ++c) {
        longer.push_back(one);
        longer.back().push_back(c);
      }
    }
    all = longer;
  }
  return all;
}

// The coordinates sorted so that the mode of the smallest place changes fastest: a compact layout
// in that order maps the i-th of them to i.
bool maps_in_order(const ComposedLayout& layout, const std::vector<int64_t>& shape,
                   const std::vector<int64_t>& places) {
  std::vector<size_t> slowest_first(shape.size());
  std::iota(slowest_first.begin(), slowest_first.end(), size_t{0});
  std::sort(slowest_first.begin(), slowest_first.end(),
            [&](size_t a, size_t b) { return places[a] > places[b]; });
  std::vector<std::vector<int64_t>> all = coordinates(shape);
  std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    for (const size_t mode : slowest_first) {
      if (a[mode] != b[mode]) return a[mode] < b[mode];
    }
    return false;
  });
  for (size_t i = 0; i < all.size(); ++i) {
    const std::vector<IntTuple> at(all[i].begin(), all[i].end());
    if (offset_at(layout, IntTuple(at)) != static_cast<int64_t>(i)) return false;
  }
  return layout.layout.shape == IntTuple(std::vector<IntTuple>(shape.begin(), shape.end()));
}

}  // namespace

TEST_CASE("source code reads as the layout that it makes") {
  struct Case {
    const char* source;
    const char* layout;
  };
  constexpr Case kCases[] = {
      // Types, as code and as compilers print them.
      {"cute::Layout<Shape<_8,_64>,Stride<_64,_1>>", "(8,64):(64,1)"},
      {"Layout<Shape<_8,_64>>", "(8,64):(1,8)"},
      {"Layout<Shape<_4,_2>, Stride<E<0,1>, ScaledBasis<C<2>,1>>>", "(4,2):(1@1@0,2@1)"},
      {"make_layout(make_shape(32, 8), make_stride(E<0>{}, _8{} * E<1>{}))", "(32,8):(1@0,8@1)"},
      {"(32,8):(E<0>{},8*E<1>{})", "(32,8):(1@0,8@1)"},
      {"cute.make_layout((32, 8), stride=(cute.E(0), 8*cute.E(1)))", "(32,8):(1@0,8@1)"},
      {"cute.make_layout(4, stride=cute.E([0, 1]) * 3)", "4:3@1@0"},
      {"(2*4, 8):(8, 1)", "(8,8):(8,1)"},
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

TEST_CASE("every notation of an order enumerates the coordinates in that order") {
  const std::vector<std::vector<int64_t>> shapes = {
      {8, 64}, {3, 4}, {2, 3, 4}, {5, 1, 2}, {2, 3, 2, 5}};
  for (const std::vector<int64_t>& shape : shapes) {
    std::vector<int64_t> places(shape.size());
    std::iota(places.begin(), places.end(), int64_t{0});
    const std::string ints = listed(shape, "Int<", ">{}");
    const std::string types = listed(shape, "_", "");
    const std::string tuple = listed(shape, "", "");
    do {
      const std::string steps = listed(places, "_", "{}");
      const std::string order = listed(places, "", "");
      std::vector<std::string> spelled = {
          format("make_ordered_layout(make_shape({}), make_step({}))", ints, steps),
          format("cute::make_ordered_layout(Shape<{}>{{}}, Step<{}>{{}})", types,
                 listed(places, "_", "")),
          format("make_ordered_layout(make_shape({}), make_tuple({}))", ints, steps),
          format("cute.make_ordered_layout(({}), order=({}))", tuple, order),
          format("cute.make_ordered_layout(({}), ({}))", tuple, order),
          format("cute.make_ordered_layout(order=({}), shape=({}))", order, tuple),
          format("make_ordered_layout(({}), [{}])", tuple, order)};
      const bool left = std::is_sorted(places.begin(), places.end());
      const bool right = std::is_sorted(places.rbegin(), places.rend());
      for (const char* call : {"make_layout", "make_ordered_layout"}) {
        if (left) spelled.push_back(format("{}(make_shape({}), LayoutLeft{{}})", call, ints));
        if (left) spelled.push_back(format("{}(make_shape({}), GenColMajor{{}})", call, ints));
        if (right) spelled.push_back(format("{}(make_shape({}), LayoutRight{{}})", call, ints));
        if (right) spelled.push_back(format("{}(make_shape({}), GenRowMajor{{}})", call, ints));
      }
      if (left) spelled.push_back(format("make_layout(make_shape({}))", ints));
      if (left) spelled.push_back(format("cute.make_layout(shape=({}))", tuple));
      // A layout with those strides, twice as far apart, made compact again.
      const ComposedLayout wanted = parse_layout(spelled[0]);
      const std::string strides = to_string(
          map_leaves(wanted.layout.stride, [](const IntTuple& d) { return d.value() * 2; }));
      if (std::find(shape.begin(), shape.end(), 1) == shape.end()) {
        spelled.push_back(format("make_layout_like(({}):{})", tuple, strides));
      }
      // One element, tiled to the shape.
      spelled.push_back(format("coalesce(cute.tile_to_shape(1:0, ({}), order=({})), ({}))", tuple,
                               order, listed(std::vector<int64_t>(shape.size(), 1), "", "")));
      for (const std::string& text : spelled) {
        CAPTURE(text);
        CHECK(maps_in_order(parse_layout(text), shape, places));
      }
    } while (std::next_permutation(places.begin(), places.end()));
  }
}

TEST_CASE("constructors make the same layouts as CuTe C++") {
  struct Case {
    const char* source;
    const char* value;  // as CuTe's own program prints it, without the underscores
  };
  constexpr Case kCases[] = {
      {"make_ordered_layout(make_shape(Int<8>{},Int<64>{}), make_step(_1{},_0{}))",
       "(8,64):(64,1)"},
      {"make_ordered_layout(Shape<_2,_2,_2,_2>{}, Step<_0,_2,_3,_1>{})", "(2,2,2,2):(1,4,8,2)"},
      // Numbers known only at run time count as the largest, from left to right.
      {"make_ordered_layout(make_shape(2,3,4,5), make_step(Int<2>{}, 67, 42, Int<50>{}))",
       "(2,3,4,5):(1,10,30,2)"},
      {"make_ordered_layout(Shape<_2,_3>{}, make_step(1,0))", "(2,3):(1,2)"},
      {"make_ordered_layout(Shape<Shape<_2,_3>,_4>{}, make_step(make_step(1,_0{}),_1{}))",
       "((2,3),4):((12,1),3)"},
      // Modes of one place start at one stride.
      {"make_ordered_layout(Shape<_2,_3,_4>{}, Step<_0,_0,_1>{})", "(2,3,4):(1,1,6)"},
      {"make_ordered_layout(Shape<_2,_3,_4>{}, Step<_7,_7,_7>{})", "(2,3,4):(1,1,1)"},
      // One place for a nested mode.
      {"make_ordered_layout(Shape<Shape<_2,_3>,_4>{}, Step<_1,_0>{})", "((2,3),4):((4,8),1)"},
      {"make_ordered_layout(Shape<Shape<_2,_3>,_4>{}, Step<Step<_2,_0>,_1>{})",
       "((2,3),4):((12,1),3)"},
      {"make_ordered_layout(Shape<Shape<_2,_3>,_4>{}, LayoutRight{})", "((2,3),4):((12,4),1)"},
      {"make_ordered_layout(_8{}, _3{})", "8:1"},
      {"make_ordered_layout(Shape<_2,_1,_4>{}, Step<_2,_1,_0>{})", "(2,1,4):(4,0,1)"},
      {"make_layout_like(Layout<Shape<_2,_2,_2,_2>, Stride<_0,_2,_4,_1>>{})",
       "(2,2,2,2):(0,2,4,1)"},
      {"make_layout_like(Layout<Shape<_4,_8>, Stride<_16,_1>>{})", "(4,8):(8,1)"},
      {"make_layout_like(Layout<Shape<_4,_8>, Stride<_3,_3>>{})", "(4,8):(1,1)"},
      {"make_layout_like(Layout<Shape<Shape<_4,_2>,_8>, Stride<Stride<_16,_0>,_1>>{})",
       "((4,2),8):((8,0),1)"},
      {"make_fragment_like(Layout<Shape<Shape<_2,_2>,_4,_8>, Stride<Stride<_64,_1>,_16,_2>>{})",
       "((2,2),4,8):((1,2),32,4)"},
      {"make_fragment_like(Layout<Shape<Shape<_2,_2>,_4,_8>, Stride<Stride<_0,_1>,_0,_2>>{})",
       "((2,2),4,8):((0,1),2,8)"},
      {"make_fragment_like(Layout<Shape<_4,_8>, Stride<_8,_1>>{})", "(4,(8)):(1,(4))"},
      {"make_fragment_like(Layout<Shape<_4,_8,_2>, Stride<_1,_8,_4>>{})", "(4,8,2):(1,8,4)"},
      {"make_identity_layout(make_shape(Int<4>{},make_shape(Int<2>{},Int<3>{})))",
       "(4,(2,3)):(1@0,(1@0@1,1@1@1))"},
      {"make_layout(make_layout(_4{},_2{}))", "(4):(2)"},
      {"make_layout(_4{})", "4:1"},
      {"make_layout(_4{}, LayoutRight{})", "4:1"},
      {"make_layout(Shape<_4,_1,_3>{}, LayoutRight{})", "(4,1,3):(3,0,1)"},
      {"cute.make_layout([cute.make_layout(64, stride=1), cute.make_layout(128, stride=64)])",
       "(64,128):(1,64)"},
      {"tile_to_shape(Layout<Shape<_2,_2>>{}, Shape<_4,_6,_3>{}, Step<_2,_1,_3>{})",
       "((2,2),(2,3),(1,3)):((1,12),(2,4),(0,24))"},
      {"tile_to_shape(Layout<Shape<_2,_2>>{}, Shape<_4,_6>{}, LayoutRight{})",
       "((2,2),(2,3)):((1,12),(2,4))"},
      {"append(Layout<_2,_3>{}, Layout<_4,_5>{})", "(2,4):(3,5)"},
      {"append<4>(Layout<Shape<_2,_7>,Stride<_3,_9>>{})", "(2,7,1,1):(3,9,0,0)"},
      {"cute.append((4, 4), 2)", "(4,4,2)"},
      {"cute.append((1, 1), 0, up_to_rank=4)", "(1,1,0,0)"},
      {"cute.prepend((1, 1), 0, up_to_rank=4)", "(0,0,1,1)"},
      {"prepend(Layout<Shape<_2,_7>,Stride<_3,_9>>{}, Layout<_4,_5>{})", "(4,2,7):(5,3,9)"},
      {"prepend<4>(Layout<Shape<_2,_7>,Stride<_3,_9>>{})", "(1,1,2,7):(0,0,3,9)"},
      {"append(Layout<Shape<_2,_7>,Stride<_3,_9>>{}, Layout<Shape<_4,_6>,Stride<_5,_8>>{})",
       "(2,7,(4,6)):(3,9,(5,8))"},
      {"group<0,2>(Layout<Shape<_2,_7,_3>,Stride<_3,_9,_1>>{})", "((2,7),3):((3,9),1)"},
      {"group<1,3>(Layout<Shape<_2,_7,_3>,Stride<_3,_9,_1>>{})", "(2,(7,3)):(3,(9,1))"},
      {"cute.group_modes((2, 3, 4, 5), 1, 3)", "(2,(3,4),5)"},
      {"cute.group_modes((2,7,3):(3,9,1), begin=1)", "(2,(7,3)):(3,(9,1))"},
      {"flatten(Layout<Shape<Shape<_2,Shape<_7>>,_3>,Stride<Stride<_3,Stride<_9>>,_1>>{})",
       "(2,7,3):(3,9,1)"},
      {"flatten(Layout<_8,_2>{})", "8:2"},
      {"select<1,0>(Layout<Shape<_2,_7,_3>,Stride<_3,_9,_1>>{})", "(7,2):(9,3)"},
      {"select<1>(Layout<Shape<_2,_7,_3>,Stride<_3,_9,_1>>{})", "(7):(9)"},
      {"cute.select((4,8,16):(32,4,1), mode=[0, 2])", "(4,16):(32,1)"},
      {"take<1,3>(Layout<Shape<_2,_7,_3>,Stride<_3,_9,_1>>{})", "(7,3):(9,1)"},
      {"take<1,2>(Layout<Shape<_2,_7,_3>,Stride<_3,_9,_1>>{})", "(7):(9)"},
      {"get<0>(Layout<Shape<Shape<_2,_5>,_7,_3>,Stride<Stride<_3,_8>,_9,_1>>{})", "(2,5):(3,8)"},
      {"get<0,1>(Layout<Shape<Shape<_2,_5>,_7,_3>,Stride<Stride<_3,_8>,_9,_1>>{})", "5:8"},
      {"filter_zeros(Layout<Shape<Shape<_2,_5>,_7,_3>,Stride<Stride<_0,_8>,_0,_1>>{})",
       "((1,5),1,3):((0,8),0,1)"},
      {"make_swizzle<0b1000, 0b0100>()", "Sw<1,2,1>"},
      {"make_swizzle<0xC0, 0b00000110>()", "Sw<2,1,5>"},
      {"Swizzle<3,4>{}", "Sw<3,4,3>"},
      {"cute.make_swizzle(b=3, m=4, s=3)", "Sw<3,4,3>"},
      {"upcast<4>(Layout<Shape<_8,_4>,Stride<_1,_8>>{})", "(2,4):(1,2)"},
      {"downcast<4>(Layout<Shape<_8,_4>,Stride<_1,_8>>{})", "(32,4):(1,32)"},
      {"cute.recast_layout(32, 16, (8,4):(1,8))", "(4,4):(1,4)"},
      {"cute.recast_layout(new_type_bits=32, old_type_bits=16, src_layout=(8,4):(1,8))",
       "(4,4):(1,4)"},
      {"zipped_divide(Layout<Shape<_8,_6>>{}, make_tile(_4{}, Layout<_3,_2>{}))",
       "((4,3),(2,2)):((1,16),(4,8))"},
      {"get<0>(make_layout(make_shape(4,8), make_stride(16,1)))", "4:16"},
      {"take<0,1>(make_layout(make_shape(4,8), make_stride(16,1)))", "(4):(16)"},
      {"make_fragment_like(Shape<_4,_8>{})", "(4,8):(1,4)"},
  };
  for (const Case& c : kCases) {
    CAPTURE(c.source);
    CHECK(evaluated(c.source) == c.value);
  }
}

// CuTe's headers, compiled for the host, give these.
TEST_CASE("run-time numbers of an order rank from left to right") {
  for (const char* const make :
       {"make_step", "make_tuple", "make_stride", "make_shape", "make_coord"}) {
    CAPTURE(make);
    CHECK(evaluated(format("make_ordered_layout(make_shape(8,64), {}(1,0))", make)) ==
          "(8,64):(1,8)");
    CHECK(evaluated(format("make_ordered_layout(make_shape(8,64), {}(_1{{}},_0{{}}))", make)) ==
          "(8,64):(64,1)");
    CHECK(evaluated(format("tile_to_shape((2,2):(1,2), make_shape(4,4), {}(1,0))", make)) ==
          evaluated("tile_to_shape((2,2):(1,2), (4,4), (0,1))"));
  }
  // Python's numbers are static.
  CHECK(evaluated("cute.make_ordered_layout((8,64), order=(1,0))") == "(8,64):(64,1)");
}

TEST_CASE("a warning names orders that CuTe reads differently") {
  const auto warned = [](const char* text) {
    Derivation why;
    evaluate_layout(text, &why);
    return why.lints().empty() ? std::string() : why.lints().front().code;
  };
  CHECK(warned("make_ordered_layout((2,3), make_step(1,0))") == "runtime-order");
  CHECK(warned("make_ordered_layout((2,3), make_step(_1{},_0{}))").empty());
  CHECK(warned("make_ordered_layout((2,3), (0,0))") == "order-ties");
  CHECK(warned("make_layout_like(make_layout(make_shape(4,8), make_stride(16,1)))") ==
        "runtime-order");
  CHECK(warned("make_layout_like((4,8):(16,1))").empty());
  CHECK(warned("make_fragment_like(make_layout(make_shape(4,8), LayoutRight{}))") ==
        "runtime-order");
  // Numbers of another call are none of this one.
  CHECK(warned("composition(make_layout(make_shape(32), make_stride(1)), "
               "make_layout_like((4,8):(8,1)))")
            .empty());
}

TEST_CASE("the text of every dialect reads back") {
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

TEST_CASE("bad source code is refused with the reason") {
  const auto said = [](const char* text) {
    return error_message_of([text] { parse_layout(text); });
  };
  CHECK(contains(said("cute.make_layot((8,64))"), "make_layot"));
  CHECK(contains(said("Layout<"), "expected"));
  CHECK(contains(said("make_layout(LayoutRight{})"), "a shape must be before"));
  CHECK(contains(said("make_layout((8,2),(1,8),3)"), "a layout has a shape and a stride"));
  CHECK(contains(said("make_composed_layout((8,2),1,(8,2))"), "only a swizzle"));
  CHECK(contains(said("Int<x>"), "a static number"));
  CHECK(contains(said("append<3000000>((8,2):(1,8))"), "more than 4096 integers"));
  CHECK(contains(said("prepend<3000000>((8,2):(1,8))"), "more than 4096 integers"));
  CHECK(contains(said("append<3000>((8,2), (1,(2,3)))"), "more than 4096 integers"));
  CHECK(contains(said("make_fragment_like((4,8,2):(1@0,1@1,1@2))"), "basis vectors"));
  CHECK(contains(said("make_layout_like((4,8):(1@0,1@1))"), "basis vectors"));
  CHECK(contains(said("make_ordered_layout((2,3), (1@0,1))"), "basis vectors"));
  CHECK(contains(said("make_layout((8,2), order=(1,0))"), "no argument named 'order'"));
  CHECK(contains(said("make_layout(stride=(1,8))"), "'shape' is missing"));
  CHECK(contains(said("make_layout((8,2), shape=(8,2))"), "a second time"));
  CHECK(contains(said("make_layout(shape=(8,2), (1,8))"), "without a name"));
  CHECK(contains(said("make_layout(8:1, 4)"), "is among layouts"));
  CHECK(contains(said("make_ordered_layout((8,2), (0,(1,2)))"), "do not have the same nesting"));
  CHECK(contains(said("make_ordered_layout((8,2))"), "takes 2 arguments"));
  CHECK(contains(said("make_swizzle<3,4,3>()"), "two masks"));
  CHECK(contains(said("Sw<3,4> o 8:1"), "expected ','"));  // only the type has a default
  CHECK(contains(said("append(8:1, 4)"), "extend a layout"));
  CHECK(contains(said("append<1>((8,2))"), "more than 1"));
  CHECK(contains(said("coalesce<2>(8:1)"), "takes no static numbers"));
  CHECK(contains(said("select<3>((8,2):(1,8))"), "mode 3 of"));
  CHECK(contains(said("group<1,1>((8,2))"), "not a range"));
  CHECK(contains(said("recast_layout<half_t,flaot>((8,2))"), "did you mean 'float'"));
  CHECK(contains(said("make_tmem_copy((8,2),(1,8))"), "unknown operation"));
  CHECK(contains(said("cute."), "expected"));
}
