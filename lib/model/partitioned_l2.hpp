// An L2 cache of one or two partitions.
//
// Of two, each is the home of half of the lines. A multiprocessor reads through the partition it is
// attached to: a line whose home is the other one is kept in both. So what all multiprocessors
// read takes twice its room, and what those of one side read alone takes less.
#pragma once

#include <cstdint>
#include <vector>

#include "model/lru_stack.hpp"
#include "model/retention.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

class PartitionedL2 {
 public:
  /// For slabs 0 to count - 1, whose lines have their homes on either side evenly; the chances that
  /// they are kept are told apart in so many `classes` of depth.
  PartitionedL2(const DeviceSpec& device, uint32_t slab_count, int classes);

  /// Reads a slab through `partition`; the bytes of it that DRAM is expected to give.
  double read(int partition, uint32_t slab, int64_t bytes);

  /// Output that nobody reads again.
  void write(int partition, int64_t bytes);

 private:
  double miss(size_t depth_class) const { return retention_.miss[depth_class]; }
  double read_far(int partition, uint32_t line_group, int64_t bytes);

  int partitions_;
  double write_room_;
  Retention retention_;
  std::vector<LruStack> stacks_;  // by partition
};

}  // namespace tilewright
