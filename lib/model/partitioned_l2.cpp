#include "model/partitioned_l2.hpp"

#include <cmath>

namespace tilewright {

PartitionedL2::PartitionedL2(const DeviceSpec& device, uint32_t slab_count, int classes)
    : partitions_(l2_partitions(device)),
      write_room_(device.l2.write_room),
      retention_(retention_of(device.l2_effective_bytes / partitions_, device.l2.ways, classes)),
      stacks_(static_cast<size_t>(partitions_),
              LruStack(slab_count * static_cast<size_t>(partitions_), retention_.bounds)) {}

double PartitionedL2::read(int partition, uint32_t slab, int64_t bytes) {
  LruStack& near = stacks_[static_cast<size_t>(partition)];
  if (partitions_ == 1) return static_cast<double>(bytes) * miss(near.use(slab, bytes));
  const auto own = static_cast<uint32_t>(partition);
  const double missed = static_cast<double>(bytes) / 2 * miss(near.use(2 * slab + own, bytes / 2));
  return missed + read_far(partition, 2 * slab + 1 - own, bytes);
}

double PartitionedL2::read_far(int partition, uint32_t line_group, int64_t bytes) {
  LruStack& near = stacks_[static_cast<size_t>(partition)];
  LruStack& home = stacks_[static_cast<size_t>(1 - partition)];
  const double copy_gone = miss(near.use(line_group, bytes / 2));
  if (copy_gone == 0) return 0;
  // Only where the copy is gone does the home see the read.
  const size_t depth =
      copy_gone > 0.5 ? home.use(line_group, bytes / 2) : home.depth_class(line_group);
  return static_cast<double>(bytes) / 2 * copy_gone * miss(depth);
}

void PartitionedL2::write(int partition, int64_t bytes) {
  const auto share = std::llround(write_room_ * static_cast<double>(bytes) / partitions_);
  for (LruStack& stack : stacks_) stack.use_once(share);
  if (partitions_ > 1) stacks_[static_cast<size_t>(partition)].use_once(share);
}

namespace {

// Shares of the capacity between which the chance changes with 40 ways: from one line lost in a
// thousand to one kept.
constexpr double kShallow = 0.50;
constexpr double kDeep = 1.61;

}  // namespace

double miss_chance(double used_since_bytes, double capacity_bytes, int ways) {
  // A Poisson number of lines has come into the line's own set; it is gone when they are `ways`.
  const double mean = ways * used_since_bytes / capacity_bytes;
  double term = std::exp(-mean);
  double kept = 0;
  for (int lines = 0; lines < ways; ++lines) {
    kept += term;
    term *= mean / (lines + 1);
  }
  return 1 - kept;
}

Retention retention_of(int64_t capacity_bytes, int ways, int classes) {
  const auto capacity = static_cast<double>(capacity_bytes);
  Retention retention;
  const double step = (kDeep - kShallow) / (classes - 1);
  for (int i = 0; i < classes; ++i) {
    const double bound = kShallow + i * step;
    retention.bounds.push_back(std::llround(bound * capacity));
    // Nothing is lost near the top: tiny chances would add up over many uses.
    retention.miss.push_back(i == 0 ? 0 : miss_chance(bound - step / 2, 1, ways));
  }
  retention.miss.push_back(1);
  return retention;
}

}  // namespace tilewright
