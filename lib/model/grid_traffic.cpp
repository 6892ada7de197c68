#include "model/grid_traffic.hpp"

#include "model/l2_replay.hpp"
#include "tile/config/family.hpp"
#include "tile/workload/product_bytes.hpp"

namespace tilewright {

bool has_grid_traffic(const Plan& plan) {
  return is_product(plan.workload) && record_of(plan.config.family).rereads_operands;
}

GridTraffic grid_traffic(const Plan& plan, const DeviceSpec& device) {
  const L2Traffic replayed = replay_l2(plan, device);
  GridTraffic traffic{.dram_read_bytes = replayed.dram_read_bytes,
                      .l2_hit_rate = replayed.hit_rate,
                      .compulsory_bytes = product_bytes(plan.workload, 0).operands};
  for (const WaveTraffic& wave : replayed.waves) {
    traffic.waves.insert(traffic.waves.end(), static_cast<size_t>(wave.rounds),
                         {wave.tiles, wave.dram_read_bytes});
  }
  return traffic;
}

}  // namespace tilewright
