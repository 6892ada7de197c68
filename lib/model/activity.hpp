// How many CTAs of a launch still have work at their n-th unit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/unit_lists.hpp"

namespace tilewright {

class Activity {
 public:
  /// With `is_group`, during() also counts the k-steps that each CTA has left.
  Activity(const UnitLists& lists, bool is_group);

  /// CTAs that take more than `unit_index` units.
  int64_t active(int64_t unit_index) const {
    return active_[std::min(static_cast<size_t>(unit_index), active_.size() - 1)];
  }
  /// Mean number of active CTAs while a unit of `k_steps` runs: others may run out of work
  /// meanwhile.
  int64_t during(int64_t unit_index, int64_t k_steps) const;

 private:
  std::vector<int64_t> active_;             // by unit index; the last is 0
  std::vector<std::vector<int64_t>> left_;  // the same, of a group: k-steps that each CTA has left
};

}  // namespace tilewright
