// An L2 cache of one or two partitions.
//
// With two, each is the home of half of the lines. A multiprocessor reads through the partition
// that it is attached to, and this partition keeps a copy of lines with their home in the other. So
// data that all multiprocessors read takes twice its size, and data that one side reads takes less.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/lru_stack.hpp"
#include "model/retention.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// How lines are replaced: EvictFirst lines before all others.
enum class EvictionPolicy { Normal, EvictFirst };

class PartitionedL2 {
 public:
  /// Holds slabs 0 to count - 1, each with half of its lines at home on either side. `classes` is
  /// the number of depths with different chances to be kept. Reads with EvictionPolicy::EvictFirst
  /// need `evicts_first`.
  PartitionedL2(const DeviceSpec& device, uint32_t slab_count, int classes,
                bool evicts_first = false);

  int partitions() const { return partitions_; }

  /// Reads a slab through `partition`; returns the bytes that DRAM is expected to deliver.
  double read(int partition, uint32_t slab, int64_t bytes,
              EvictionPolicy policy = EvictionPolicy::Normal);

  /// Reads or writes a slab at its home only, as additions to sums in L2 do; returns the bytes that
  /// were not there.
  double touch(uint32_t slab, int64_t bytes);

  /// The same through `partition`, which keeps copies that serve no later read, as loads and stores
  /// of a part's own sums do.
  double pass(int partition, uint32_t slab, int64_t bytes);

  /// Writes output that is not read again.
  void write(int partition, int64_t bytes);

 private:
  // Lines of one policy in both partitions.
  struct PolicyState {
    Retention retention;
    std::vector<LruStack> stacks;      // by partition
    std::vector<double> unseen_reads;  // by line group: reads that its home has not seen
    double miss(size_t depth_class) const { return retention.miss[depth_class]; }
    LruStack& in(int partition) { return stacks[static_cast<size_t>(partition)]; }
  };

  PolicyState state_of(int64_t room, int ways, int classes, uint32_t slabs) const;
  double read_far(PolicyState& state, int partition, uint32_t line_group, int64_t bytes);
  void age_evict_first(int partition, double bytes);

  int partitions_;
  double write_room_;
  bool evicts_first_;
  PolicyState normal_;
  PolicyState evicted_first_;  // aged by lines of both policies
};

}  // namespace tilewright
