#include "model/grid_traffic.hpp"

#include "model/l2_replay.hpp"
#include "tile/config/family.hpp"

namespace tilewright {

bool has_grid_traffic(const Plan& plan) {
  return is_product(plan.workload) && record_of(plan.config.family).rereads_operands;
}

GridTraffic grid_traffic(const Plan& plan, const DeviceSpec& device) {
  const L2Traffic replayed = replay_l2(plan, device);
  const Problem problem = problem_of(plan.workload, 0);
  GridTraffic traffic{.dram_read_bytes = replayed.dram_read_bytes,
                      .l2_hit_rate = replayed.hit_rate,
                      .compulsory_bytes = static_cast<double>(problem.shape.m + problem.shape.n) *
                                          static_cast<double>(problem.shape.k) *
                                          bytes_of(problem.kind.dtype)};
  for (const WaveTraffic& wave : replayed.waves) {
    traffic.waves.insert(traffic.waves.end(), static_cast<size_t>(wave.rounds),
                         {wave.tiles, wave.dram_read_bytes});
  }
  return traffic;
}

}  // namespace tilewright
