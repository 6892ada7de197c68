#include "search/divisions.hpp"

#include <algorithm>

#include "base/math.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

void add(std::vector<Decomposition>& divisions, int64_t slices, int64_t k_steps,
         std::initializer_list<Reduction> reductions) {
  constexpr int64_t kLeastSteps = 4;  // of a slice: less is all latency
  if (slices < 2 || slices * kLeastSteps > k_steps) return;
  for (const Reduction reduction : reductions) {
    const Decomposition division = SplitK{static_cast<int>(slices), reduction};
    if (std::find(divisions.begin(), divisions.end(), division) == divisions.end()) {
      divisions.push_back(division);
    }
  }
}

}  // namespace

std::vector<Decomposition> divisions_for(const Problem& problem, const TileConfig& config,
                                         const DeviceSpec& device) {
  // A turnstile of more parts waits longer than a second kernel or the atomics take; of a few it
  // is the shortest. A CTA has one part, so ping-pong has nothing to hide it under. Streamed tiles
  // lost everywhere that they were measured: a config may name them.
  constexpr int64_t kMostTurns = 4;
  constexpr int kLeastColumns = 16;
  if (config.schedule != KernelSchedule::Cooperative || config.cta.n < kLeastColumns) return {};
  const int64_t k_steps = ceil_div<int64_t>(problem.shape.k, config.cta.k);
  const int64_t slots = count_problem(workload_of(problem), problem.shape, config).work.slots;
  const auto clusters_of = [&](int along_k) {
    return resident_clusters(device, config.cluster.m * config.cluster.n * along_k);
  };
  std::vector<Decomposition> divisions;
  const int64_t filling = clusters_of(1) / slots;
  for (const int64_t slices : {filling, filling / 2}) {
    if (slices <= kMostTurns) {
      add(divisions, slices, k_steps, {Reduction::Serial, Reduction::SerialTma});
    }
    add(divisions, slices, k_steps, {Reduction::Workspace, Reduction::ReduceScatter});
    if (slices > kMostTurns) {
      add(divisions, slices, k_steps, {Reduction::Atomic, Reduction::AtomicTma});
    }
  }
  for (const int along_k : {2, 4, 8}) {
    const bool fits = config.cluster == ClusterShape{} && slots <= clusters_of(along_k);
    if (fits && slots * along_k * 2 > clusters_of(1)) {
      add(divisions, along_k, k_steps, {Reduction::Cluster});
    }
  }
  return divisions;
}

}  // namespace tilewright
