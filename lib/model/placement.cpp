#include "model/placement.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "stats/random.hpp"

namespace tilewright {
namespace {

int gpc_of_lone_cta(const std::vector<GpcRun>& runs, int64_t cta, int64_t count) {
  const int64_t traced = cta * runs.back().end / count;
  size_t run = 0;
  while (runs[run].end <= traced) ++run;
  return runs[run].gpc;
}

// Equally many clusters on every GPC, in an order without a period: counted reads contradict
// every regular order.
std::vector<int> gpcs_of_clusters(int64_t count) {
  std::vector<int> gpcs;
  for (int64_t i = 0; i < count; ++i) gpcs.push_back(static_cast<int>(i % kGpcCount));
  Random random(1);
  shuffle(std::span<int>(gpcs), random);
  return gpcs;
}

// CTAs beyond one per multiprocessor take second places in the same order.
std::vector<int> gpcs_of_lone_ctas(const DeviceSpec& device, int64_t count) {
  const int64_t places = std::min<int64_t>(count, device.sm_count);
  std::vector<int> gpcs;
  for (int64_t i = 0; i < count; ++i) {
    gpcs.push_back(gpc_of_lone_cta(device.groups.lone_cta_runs, i % places, places));
  }
  return gpcs;
}

}  // namespace

std::vector<Placement> placements(const DeviceSpec& device, int64_t clusters_at_once,
                                  int cluster_size) {
  const int partitions = device.l2.partitions;
  std::vector<Placement> all;
  for (const int gpc : cluster_size == 1 ? gpcs_of_lone_ctas(device, clusters_at_once)
                                         : gpcs_of_clusters(clusters_at_once)) {
    all.push_back(
        {gpc, gpc * partitions / kGpcCount, device.groups.pace[static_cast<size_t>(gpc)]});
  }
  return all;
}

}  // namespace tilewright
