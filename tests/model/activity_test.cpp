#include "model/activity.hpp"

#include <doctest/doctest.h>

namespace tilewright {
namespace {

TEST_CASE("a CTA counts while it has units; in a group, by the share of a unit's time it fills") {
  UnitLists lists;
  lists.ctas = {{{.k_steps = 8}, {.k_steps = 4}}, {{.k_steps = 2}}, {}};
  const Activity alone(lists, false);
  CHECK(alone.active(0) == 2);
  CHECK(alone.active(1) == 1);
  CHECK(alone.active(2) == 0);
  CHECK(alone.active(9) == 0);
  CHECK(alone.during(0, 8) == 2);
  const Activity group(lists, true);
  CHECK(group.active(0) == 2);
  CHECK(group.during(0, 2) == 2);
  // 8 steps of the first CTA and 2 of the second, during 8.
  CHECK(group.during(0, 8) == 2);
  CHECK(group.during(0, 10) == 2);
  CHECK(group.during(0, 20) == 1);
  CHECK(group.during(1, 4) == 1);
}

}  // namespace
}  // namespace tilewright
