#include "model/unit_times.hpp"

#include <doctest/doctest.h>

#include "support/plans.hpp"

namespace tilewright {
namespace {

TEST_CASE("unit times equal the price, whatever the order of the calls") {
  const DeviceSpec device = testing::h200();
  for (const char* const problem : {"2000x1500x1000", "900x700x800,1200x640x256"}) {
    const Plan plan = testing::plan_of(
        {.problem = problem, .ctas = 12, .decomposition = "split-k:2", .resident = 5});
    const Price price = price_of(plan, device);
    const UnitLists lists = list_units(plan, nullptr);
    const Activity activity(lists, plan.problems.size() > 1);
    UnitTimes times(plan, price, lists);
    for (int64_t cta = 0; cta < 12; ++cta) {
      const std::vector<ListedUnit>& units = lists.ctas[static_cast<size_t>(cta)];
      for (int64_t unit_index = 0; unit_index < std::ssize(units); ++unit_index) {
        const UnitIndex at{cta, unit_index};
        const ListedUnit& unit = unit_at(lists, at);
        const int64_t round = unit_index + cta / 5;
        const int64_t active = std::min<int64_t>(activity.active(unit_index), 5);
        const int64_t during = std::min<int64_t>(activity.during(unit_index, unit.k_steps), 5);
        CHECK(times.main_us(at, unit) ==
              main_loop_us(price, unit.problem, unit.k_steps, round, during));
        CHECK(times.store_us(at) == epilogue_us(price, round, active));
        CHECK(times.handed_us(unit_index) == hand_over_us(price, active));
      }
    }
  }
}

}  // namespace
}  // namespace tilewright
