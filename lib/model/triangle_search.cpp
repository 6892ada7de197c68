#include "model/triangle_search.hpp"

#include <algorithm>

namespace tilewright {

double triangle_search_us(const Plan& plan, const DeviceSpec& device) {
  const tw::SlotMap& map = plan.problems.front().map;
  const auto [least, most] = std::minmax(map.triangle.cta_m, map.triangle.cta_n);
  return map.triangular && most % least != 0 ? device.scheduling.triangle_us : 0;
}

}  // namespace tilewright
