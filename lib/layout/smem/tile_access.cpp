#include "layout/smem/tile_access.hpp"

#include <algorithm>

namespace tilewright {

void add_access(const WarpAccess& access, TileCost& cost) {
  const WavefrontCount count = wavefront_count(access);
  cost.least = cost.instructions == 0 ? count.wavefronts : std::min(cost.least, count.wavefronts);
  cost.most = std::max(cost.most, count.wavefronts);
  cost.total += count.wavefronts;
  cost.ideal += count.ideal;
  ++cost.instructions;
}

}  // namespace tilewright
