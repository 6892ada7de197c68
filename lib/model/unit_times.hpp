// How long a timeline's units take, by the price.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/activity.hpp"
#include "model/fixup.hpp"
#include "model/price.hpp"
#include "model/unit_lists.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// Times are microseconds. The price outlives it.
class UnitTimes {
 public:
  UnitTimes(const Plan& plan, const Price& price, const UnitLists& lists)
      : price_(price),
        activity_(lists, plan.problems.size() > 1),
        reduction_(plan.reduction),
        cta_(plan.config.cta),
        resident_(plan.resident) {}

  /// Time to find unit `unit_index` of a CTA's units.
  double find_us(const std::vector<ListedUnit>& units, int64_t unit_index) const {
    const SchedulingCost& cost = price_.scheduling;
    const auto at = static_cast<size_t>(unit_index);
    if (unit_index == 0) return cost.first_us + cost.problem_us;
    const bool other = units[at].problem != units[at - 1].problem;
    return cost.unit_us + (other ? cost.problem_us : 0);
  }
  double main_us(const UnitIndex& at, const ListedUnit& unit) {
    const CacheKey key{unit.problem, unit.k_steps, round_of(at),
                       std::min(activity_.during(at.unit_index, unit.k_steps), resident_)};
    if (!(key == main_.key)) {
      main_ = {key, main_loop_us(price_, unit.problem, unit.k_steps, key.round, key.active)};
    }
    return main_.us;
  }
  /// Microseconds of an epilogue that finishes the share `finished` of a tile's elements.
  double store_us(const UnitIndex& at, double finished = 1) {
    const CacheKey key{
        .round = round_of(at), .active = active(at.unit_index), .finished = finished};
    if (!(key == store_.key)) store_ = {key, epilogue_us(price_, key.round, key.active, finished)};
    return store_.us;
  }
  /// From a main loop to the next one, by ping-pong's other warpgroup.
  double handed_us(int64_t unit_index) {
    const CacheKey key{.active = active(unit_index)};
    if (!(key == handed_.key)) handed_ = {key, hand_over_us(price_, key.active)};
    return handed_.us;
  }
  /// Cost of joining a part; sets how many CTAs do so at the same time.
  FixupCost cost_of_part(FixupRole role, int64_t unit_index) const {
    role.active = active(unit_index);
    return fixup_cost(reduction_, cta_, price_.join, role);
  }

 private:
  // What a time depends on.
  struct CacheKey {
    int problem = -1;
    int k_steps = 0;
    int64_t round = 0;
    int64_t active = 0;
    double finished = 1;
    bool operator==(const CacheKey&) const = default;
  };
  // The last result is kept: units of one index and problem follow each other, and powers of the
  // active share take time to compute.
  struct Answer {
    CacheKey key = {};
    double us = 0;
  };

  int64_t active(int64_t unit_index) const {
    return std::min(activity_.active(unit_index), resident_);
  }
  // CTAs that start when others have ended take part in a later round.
  int64_t round_of(const UnitIndex& at) const { return at.unit_index + at.cta / resident_; }

  const Price& price_;
  Activity activity_;
  Reduction reduction_;
  TileShape cta_;
  int64_t resident_;
  Answer main_;
  Answer store_;
  Answer handed_;
};

}  // namespace tilewright
