#include "model/activity.hpp"

#include <algorithm>
#include <cstddef>

#include "base/math.hpp"

namespace tilewright {

Activity::Activity(const UnitLists& lists, bool is_group) {
  size_t most = 0;
  for (const auto& units : lists.ctas) most = std::max(most, units.size());
  active_.assign(most + 1, 0);
  for (const auto& units : lists.ctas) {
    if (!units.empty()) ++active_[units.size() - 1];
  }
  for (size_t unit_index = most; unit_index > 0; --unit_index)
    active_[unit_index - 1] += active_[unit_index];
  if (!is_group) return;
  left_.resize(most);
  for (const auto& units : lists.ctas) {
    int64_t left = 0;
    for (size_t unit_index = units.size(); unit_index > 0; --unit_index) {
      left_[unit_index - 1].push_back(left += units[unit_index - 1].k_steps);
    }
  }
}

int64_t Activity::during(int64_t unit_index, int64_t k_steps) const {
  if (left_.empty() || k_steps == 0) return active(unit_index);
  int64_t shared = 0;
  for (const int64_t left : left_[static_cast<size_t>(unit_index)])
    shared += std::min(left, k_steps);
  return ceil_div(shared, k_steps);
}

}  // namespace tilewright
