#include "model/l2_replay.hpp"

#include <algorithm>
#include <optional>

#include "model/replay_rounds.hpp"
#include "model/replay_schedule.hpp"
#include "model/replay_scope.hpp"
#include "model/replay_walk.hpp"
#include "model/slab_index.hpp"
#include "tile/plan/partial_store.hpp"
#include "tile/workload/product_bytes.hpp"

namespace tilewright {
namespace {

// Traffic of parts that were not dealt, as if L2 held all partial tiles.
DramTraffic kept_parts(const ReplayScope& scope) {
  const PartialStore store = is_divided(scope) ? partial_store(scope.plan) : PartialStore{};
  const auto bytes = static_cast<double>(store.bytes);
  return {.read = store.zeroed ? bytes : 0, .written = bytes};
}

// Every output byte is written once and leaves the cache once, now or after the run. A given
// mapping may leave tiles out.
double output_bytes(const ReplayScope& scope, const ReplayRounds& rounds) {
  if (scope.whole.options.external) return static_cast<double>(rounds.written_bytes);
  return product_bytes(scope.whole.workload, 0).output;
}

L2Traffic sum_up(const ReplayScope& scope, const ReplayRounds& rounds, const DramTraffic& partial) {
  L2Traffic traffic{.partial_read_bytes = partial.read, .waves = rounds.waves};
  for (const WaveTraffic& wave : rounds.waves) {
    traffic.dram_read_bytes += static_cast<double>(wave.rounds) * wave.dram_read_bytes;
    traffic.l2_read_bytes += static_cast<double>(wave.rounds) * wave.l2_read_bytes;
  }
  if (traffic.l2_read_bytes > 0)
    traffic.hit_rate = std::max(0.0, 1 - traffic.dram_read_bytes / traffic.l2_read_bytes);
  traffic.dram_read_bytes += partial.read;
  traffic.dram_write_bytes = output_bytes(scope, rounds) + partial.written;
  const ClusterShape& cluster = scope.whole.config.cluster;
  traffic.slots = scope.whole.problems.front().work.slots * cluster.m * cluster.n;
  traffic.ctas = scope.clusters * scope.whole.cluster_size;
  return traffic;
}

}  // namespace

L2Traffic replay_l2(const Plan& plan, const DeviceSpec& device, ReplayDetail detail) {
  const std::optional<Plan> corner = corner_of(plan, device);
  const ReplayScope scope = scope_of(plan, corner ? *corner : plan, device, detail);
  const ReplaySchedule schedule = schedule_pieces(scope);
  const SlabIndex slabs = index_slabs(scope, schedule.workers);
  const ReplayMisses misses = detail == ReplayDetail::Fine
                                  ? walk_in_time(scope, schedule, slabs)
                                  : walk_in_lockstep(scope, schedule, slabs);
  ReplayRounds rounds = schedule.rounds;
  add_misses(scope, misses.operand_bytes, rounds);
  add_later_rounds(scope, rounds);
  return sum_up(scope, rounds, scope.in_parts ? misses.partial : kept_parts(scope));
}

}  // namespace tilewright
