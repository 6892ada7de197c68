// How many CTAs of a launch are at work in a turn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/unit_lists.hpp"

namespace tilewright {

class Activity {
 public:
  /// Of a group, how long the CTAs have to do counts, too.
  Activity(const UnitLists& lists, bool is_group);

  /// CTAs that take a unit beyond their first `turn`.
  int64_t active(int64_t turn) const {
    return active_[std::min(static_cast<size_t>(turn), active_.size() - 1)];
  }
  /// The mean while a unit of so many k-steps lasts: those beside it may have nothing left to do.
  int64_t during(int64_t turn, int64_t k_steps) const;

 private:
  std::vector<int64_t> active_;             // by turn; the last is 0
  std::vector<std::vector<int64_t>> left_;  // of a group by turn: k-steps of each CTA from it on
};

}  // namespace tilewright
