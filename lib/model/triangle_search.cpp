#include "model/triangle_search.hpp"

#include <algorithm>

namespace tilewright {

double triangle_search_us(const Plan& plan) {
  constexpr double kOfOneUs = 2;  // on an H200 launches took 2 to 4 us a tile longer
  const tw::SlotMap& map = plan.problems.front().map;
  const auto [least, most] = std::minmax(map.triangle.cta_m, map.triangle.cta_n);
  return map.triangular && most % least != 0 ? kOfOneUs : 0;
}

}  // namespace tilewright
