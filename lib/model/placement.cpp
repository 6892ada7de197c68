#include "model/placement.hpp"

#include <cstddef>
#include <span>

#include "stats/random.hpp"

namespace tilewright {
namespace {

// By group: how a CTA's mean main loop differs from that of all. Half of what a trace of 4320 tiles
// on an H200 shows: other launches drift less.
constexpr double kPace[kGroupCount] = {1.0022, 1.0005, 1.0003, 0.9999,
                                       1.0005, 0.9975, 0.9960, 1.0002};

// Groups in the order in which 132 CTAs filled them, and behind which CTA each ended.
struct Run {
  int group;
  int end;
};
constexpr Run kRuns[] = {{0, 8},  {6, 26},  {7, 44},  {0, 52}, {1, 68},
                         {2, 84}, {3, 100}, {4, 116}, {5, 132}};
constexpr int kTracedCtas = 132;

int group_of_lone_cta(int64_t cta, int64_t count) {
  const int64_t traced = cta * kTracedCtas / count;
  size_t run = 0;
  while (kRuns[run].end <= traced) ++run;
  return kRuns[run].group;
}

// As many clusters in every group, in an order without a period: counted reads contradict each of
// the regular ones.
std::vector<int> groups_of_clusters(int64_t count) {
  std::vector<int> groups;
  for (int64_t i = 0; i < count; ++i) groups.push_back(static_cast<int>(i % kGroupCount));
  Random random(1);
  shuffle(std::span<int>(groups), random);
  return groups;
}

std::vector<int> groups_of_lone_ctas(int64_t count) {
  std::vector<int> groups;
  for (int64_t i = 0; i < count; ++i) groups.push_back(group_of_lone_cta(i, count));
  return groups;
}

}  // namespace

std::vector<Seat> seats(const DeviceSpec& device, int64_t clusters_at_once, int cluster_size) {
  const int partitions = l2_partitions(device);
  std::vector<Seat> all;
  for (const int group : cluster_size == 1 ? groups_of_lone_ctas(clusters_at_once)
                                           : groups_of_clusters(clusters_at_once)) {
    all.push_back({group, group * partitions / kGroupCount, kPace[group]});
  }
  return all;
}

}  // namespace tilewright
