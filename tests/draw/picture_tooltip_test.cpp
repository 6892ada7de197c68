// Tooltips in SVG: every cell, bar and tile has one, and the files stay small.
#include <doctest/doctest.h>

#include "draw/access_diagram.hpp"
#include "draw/grid_diagram.hpp"
#include "draw/layout_diagram.hpp"
#include "draw/picture.hpp"
#include "draw/thread_value_diagram.hpp"
#include "layout/text/layout_expression.hpp"
#include "support/grid_reports.hpp"
#include "support/scenes.hpp"
#include "support/xml.hpp"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

constexpr size_t kMegabyte = 1'000'000;

size_t svg_bytes(const Scene& scene) {
  const std::string svg = render(scene, ImageFormat::Svg);
  CHECK(xml_fault(svg) == "");
  // One title for the picture and one for each tooltip area.
  CHECK(xml_texts(svg, "title").size() == tooltip_texts(scene.items).size() + 1);
  return svg.size();
}

Scene layout_scene(const char* expression, LayoutView view = {}) {
  return layout_diagram(parse_layout(expression), view);
}

}  // namespace

TEST_CASE("tiles and overhang have a tooltip with slot, wave and CTA") {
  const Scene scene = grid_diagram(report_of("split-merge:2", {3, 2}, 4));
  CHECK(tooltip_texts(scene.items) ==
        std::vector<std::string>{"tile 0,0: slot 0, BIDx 0, BIDy 0, wave 0, CTA 0",
                                 "tile 0,1: slot 2, BIDx 2, BIDy 0, wave 0, CTA 2",
                                 "tile 1,0: slot 1, BIDx 1, BIDy 0, wave 0, CTA 1",
                                 "tile 1,1: slot 3, BIDx 3, BIDy 0, wave 0, CTA 3",
                                 "tile 2,0: slot 4, BIDx 0, BIDy 1, wave 1, CTA 0",
                                 "tile 2,1: slot 6, BIDx 2, BIDy 1, wave 1, CTA 2",
                                 "overhang 3,0: slot 5, BIDx 1, BIDy 1, wave 1, CTA 1",
                                 "overhang 3,1: slot 7, BIDx 3, BIDy 1, wave 1, CTA 3"});
}

TEST_CASE("cells of layouts have a tooltip with coordinate, offset, byte and bank") {
  CHECK(tooltip_texts(layout_scene("(2,2):(64,1)", {.element_bytes = 4}).items) ==
        std::vector<std::string>{"(0,0): 0, byte 0, bank 0", "(0,1): 1, byte 4, bank 1",
                                 "(1,0): 64, byte 256, bank 0", "(1,1): 65, byte 260, bank 1"});
  CHECK(tooltip_texts(layout_scene("((2,2),1):((1,0),5)").items) ==
        std::vector<std::string>{"((0,0),0): 0, shared", "((1,0),0): 1, shared",
                                 "((0,1),0): 0, shared", "((1,1),0): 1, shared"});
}

TEST_CASE("tooltips name the holders of elements and the words of lanes") {
  const Scene owners = thread_value_diagram(parse_layout("(2,2):(1,0)"), {2, 2}, {});
  CHECK(tooltip_texts(owners.items) ==
        std::vector<std::string>{"0,0: T0 V0, T0 V1", "0,1: no thread", "1,0: T1 V0, T1 V1",
                                 "1,1: no thread"});
  WarpAccess access{.op = parse_access_op("ld.b32"), .addresses = {}};
  access.addresses.fill(kInactive);
  access.addresses[3] = 4;
  access.addresses[5] = 132;
  CHECK(tooltip_texts(shared_access_diagram(std::vector{access}).items) ==
        std::vector<std::string>{"lane 3 at 4: bank 1, word at 4, wavefront 1",
                                 "lane 5 at 132: bank 1, word at 132, wavefront 2",
                                 "wavefront 1, bank 1: word at 4 for lane 3",
                                 "wavefront 2, bank 1: word at 132 for lane 5"});
}

TEST_CASE("files stay small: 1 MB up to 64x64 cells, 5 MB up to 200x200") {
  CHECK(svg_bytes(grid_diagram(report_of("swizzle-merge:8", {64, 64}, 132))) < kMegabyte);
  CHECK(svg_bytes(grid_diagram(report_of("swizzle-merge:8", {200, 200}, 132))) < 5 * kMegabyte);
  CHECK(svg_bytes(grid_diagram(report_of("hilbert", {200, 200}, 0))) < 5 * kMegabyte);
  CHECK(svg_bytes(layout_scene("(64,64):(64,1)", {.element_bytes = 2})) < kMegabyte);
  CHECK(svg_bytes(layout_scene("(200,200):(200,1)", {.element_bytes = 2})) < 5 * kMegabyte);
}

TEST_CASE("a layout of 128x64 beside its swizzle shows its numbers in less than 2 MB") {
  const Scene scene = layout_comparison(parse_layout("(128,64):(64,1)"),
                                        parse_layout("Sw<3,3,3> o 0 o (128,64):(64,1)"),
                                        {.color = CellColor::Bank, .element_bytes = 2});
  CHECK(svg_bytes(scene) < 2 * kMegabyte);
  CHECK(texts_of(scene.items, "text").size() == 2 * 128 * 64);
}
