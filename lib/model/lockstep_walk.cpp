#include <algorithm>
#include <utility>

#include "base/interruption.hpp"
#include "model/replay_walk.hpp"

namespace tilewright {
namespace {

constexpr int kCoarseClasses = 8;  // depths in the cache with a chance each

// The reads of one round of all clusters, each once: partition and panel, ascending.
std::vector<std::pair<int, int>> reads_of_round(const ReplayScope& scope,
                                                const std::vector<ReplayWorker>& workers,
                                                size_t round) {
  std::vector<std::pair<int, int>> reads;
  for (const ReplayWorker& worker : workers) {
    if (round >= worker.pieces.size()) continue;
    scope.panels.for_each(worker.pieces[round].cluster, [&](int panel) {
      reads.emplace_back(worker.placement.partition, panel);
    });
  }
  std::sort(reads.begin(), reads.end());
  reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
  return reads;
}

// Returns the bytes that L2 misses.
double read_by_steps(const ReplayScope& scope, const std::vector<std::pair<int, int>>& reads,
                     const SlabIndex& slabs, PartitionedL2& cache) {
  double missed = 0;
  for (int64_t step = 0; step < scope.steps; ++step) {
    const int64_t depth = std::min(scope.slab_k, scope.depth - step * scope.slab_k);
    for (const auto& [partition, panel] : reads) {
      const EvictionPolicy policy = eviction_policy_of(scope, panel);
      slabs.for_each(
          scope.panels, panel, step, [&, side = partition, read = panel](uint32_t slab, int lines) {
            missed += cache.read(side, slab, slab_bytes(scope, read, lines, depth), policy);
          });
    }
  }
  return missed;
}

void store_round(const ReplayScope& scope, const std::vector<ReplayWorker>& workers, size_t round,
                 PartitionedL2& cache) {
  for (const ReplayWorker& worker : workers) {
    if (round >= worker.pieces.size()) continue;
    cache.write(worker.placement.partition, stored_bytes(scope, worker.pieces[round].cluster));
  }
}

}  // namespace

ReplayMisses walk_in_lockstep(const ReplayScope& scope, const ReplaySchedule& schedule,
                              const SlabIndex& slabs) {
  PartitionedL2 cache(scope.device, slabs.count, kCoarseClasses,
                      scope.whole.config.evict_first != EvictFirst{});
  ReplayMisses misses;
  for (size_t round = 0; round < schedule.rounds.waves.size(); ++round) {
    throw_if_interrupted();
    const auto reads = reads_of_round(scope, schedule.workers, round);
    misses.operand_bytes.push_back(read_by_steps(scope, reads, slabs, cache));
    store_round(scope, schedule.workers, round, cache);
  }
  return misses;
}

}  // namespace tilewright
