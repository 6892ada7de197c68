#include "draw/scene.hpp"

#include <doctest/doctest.h>

#include "base/text.hpp"

using namespace tilewright;

TEST_CASE("a dump has one line an item, and short numbers") {
  Scene scene{.width = 100, .height = 50.5, .title = "t"};
  scene.items.push_back(
      RectangleItem{.role = "r",
                    .at = {-0.001, 1.0 / 3},
                    .width = 10,
                    .height = 2.50,
                    .radius = 1,
                    .style = {.fill = Color{1, 2, 255}, .hatch = Color{0, 0, 0}}});
  scene.items.push_back(PathItem{.role = "p",
                                 .points = {{0, 0}, {1.25, 100}},
                                 .closed = true,
                                 .style = {.stroke = Color{16, 0, 0, 128}, .stroke_width = 0.6}});
  scene.items.push_back(LabelItem{.role = "l",
                                  .at = {5, 6},
                                  .text = "it's",
                                  .bold = true,
                                  .anchor = Anchor::End,
                                  .halo = Color{255, 255, 255}});
  CHECK(dump(scene) ==
        "scene 100x50.5 background=#ffffff 't'\n"
        "rect r 0,0.33 10x2.5 radius=1 fill=#0102ff hatch=#000000\n"
        "path p closed stroke=#10000080/0.6 0,0 1.25,100\n"
        "label l 5,6 end 12 bold #000000 halo=#ffffff 'it's'\n");
}
