#include "model/unit_lists.hpp"

#include <doctest/doctest.h>

#include <tuple>

#include "support/plans.hpp"

namespace tilewright {
namespace {

TEST_CASE("splits are sorted by tile and k, and each unit has its split's number") {
  for (const char* const decomposition : {"split-k:3", "stream-k:two-tile", "data-parallel"}) {
    const Plan plan =
        testing::plan_of({.problem = "700x900x2000,300x500x1000", .decomposition = decomposition});
    const UnitLists lists = list_units(plan, nullptr);
    for (size_t i = 0; i < lists.parts.size(); ++i) {
      const TilePart& part = lists.parts[i];
      CHECK(unit_at(lists, {part.cta, part.unit_index}).part == static_cast<int64_t>(i));
      if (i == 0) continue;
      const TilePart& before = lists.parts[i - 1];
      CHECK(std::tie(before.tile, before.k_end) <= std::tie(part.tile, part.k_begin));
    }
    int64_t parts = 0;
    int64_t k_steps = 0;
    for (const std::vector<ListedUnit>& units : lists.ctas) {
      for (const ListedUnit& unit : units) {
        parts += unit.part >= 0;
        k_steps += unit.k_steps;
      }
    }
    CHECK(parts == std::ssize(lists.parts));
    CHECK(k_steps == 6 * 8 * 32 + 3 * 4 * 16);
  }
}

}  // namespace
}  // namespace tilewright
