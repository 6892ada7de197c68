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
  for (size_t turn = most; turn > 0; --turn) active_[turn - 1] += active_[turn];
  if (!is_group) return;
  left_.resize(most);
  for (const auto& units : lists.ctas) {
    int64_t left = 0;
    for (size_t turn = units.size(); turn > 0; --turn) {
      left_[turn - 1].push_back(left += units[turn - 1].k_steps);
    }
  }
}

int64_t Activity::during(int64_t turn, int64_t k_steps) const {
  if (left_.empty() || k_steps == 0) return active(turn);
  int64_t shared = 0;
  for (const int64_t left : left_[static_cast<size_t>(turn)]) shared += std::min(left, k_steps);
  return ceil_div(shared, k_steps);
}

}  // namespace tilewright
