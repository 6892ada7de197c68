#include "search/estimate_order.hpp"

#include <cmath>
#include <tuple>

namespace tilewright {

bool ranks_before(const Estimate& a, const Estimate& b) {
  const auto key = [](const Estimate& e) {
    const double bytes = e.is_time ? 0 : e.dram_read_bytes + e.dram_write_bytes;
    return std::make_tuple(std::llround(e.us * 1000), e.is_time ? 0 : e.waves, std::llround(bytes));
  };
  return key(a) < key(b);
}

}  // namespace tilewright
