#include "model/placement.hpp"

#include <cstddef>
#include <span>

#include "stats/random.hpp"

namespace tilewright {
namespace {

int group_of_lone_cta(const std::vector<GpcRun>& runs, int64_t cta, int64_t count) {
  const int64_t traced = cta * runs.back().end / count;
  size_t run = 0;
  while (runs[run].end <= traced) ++run;
  return runs[run].group;
}

// Equally many clusters in every group, in an order without a period: counted reads contradict
// every regular order.
std::vector<int> groups_of_clusters(int64_t count) {
  std::vector<int> groups;
  for (int64_t i = 0; i < count; ++i) groups.push_back(static_cast<int>(i % kGpcCount));
  Random random(1);
  shuffle(std::span<int>(groups), random);
  return groups;
}

std::vector<int> groups_of_lone_ctas(const std::vector<GpcRun>& runs, int64_t count) {
  std::vector<int> groups;
  for (int64_t i = 0; i < count; ++i) groups.push_back(group_of_lone_cta(runs, i, count));
  return groups;
}

}  // namespace

std::vector<Placement> placements(const DeviceSpec& device, int64_t clusters_at_once,
                                  int cluster_size) {
  const int partitions = device.l2.partitions;
  std::vector<Placement> all;
  for (const int group : cluster_size == 1
                             ? groups_of_lone_ctas(device.groups.lone_cta_runs, clusters_at_once)
                             : groups_of_clusters(clusters_at_once)) {
    all.push_back(
        {group, group * partitions / kGpcCount, device.groups.pace[static_cast<size_t>(group)]});
  }
  return all;
}

}  // namespace tilewright
