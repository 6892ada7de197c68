#include "draw/time_axis.hpp"

#include <doctest/doctest.h>

#include "draw/legend.hpp"
#include "support/scenes.hpp"

using namespace tilewright;

TEST_CASE("ticks lie on the axis, and its unit ends it without covering a number") {
  for (const double end_us : {0.0, 1e-3, 7.0, 360.5, 1e9}) {
    for (const double width : {60.0, 300.0, 1000.0}) {
      CAPTURE(end_us);
      CAPTURE(width);
      const TimeAxis axis{.left = 40, .width = width, .begin_us = 0, .end_us = end_us};
      for (const double us : ticks_of(axis)) {
        CHECK(axis.x_of(us) >= axis.left);
        CHECK(axis.x_of(us) <= axis.left + width + 1e-6);
      }
      const std::vector<SceneItem> numbers = axis_numbers(axis, 100);
      CHECK(testing::texts_of(numbers, "axis").back() == "us");
      const Box unit = box_of(numbers.back());
      CHECK(unit.right == axis.left + width);
      for (size_t i = 0; i + 1 < numbers.size(); ++i) {
        CHECK_FALSE(overlap(box_of(numbers[i]), unit));
      }
    }
  }
}
