// An L2 cache of one or two partitions.
//
// Of two, each is the home of half of the lines. A multiprocessor reads through the partition it is
// attached to: a line whose home is the other one is kept in both. So what all multiprocessors
// read takes twice its room, and what those of one side read alone takes less.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/lru_stack.hpp"
#include "model/retention.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// How lines are to be replaced: EvictFirst ones before all others.
enum class Keep { Usual, EvictFirst };

class PartitionedL2 {
 public:
  /// For slabs 0 to count - 1, whose lines have their homes on either side evenly; the chances that
  /// they are kept are told apart in so many `classes` of depth. Only where `evicts_first` may they
  /// be read to be given up first.
  PartitionedL2(const DeviceSpec& device, uint32_t slab_count, int classes,
                bool evicts_first = false);

  /// Reads a slab through `partition`; the bytes of it that DRAM is expected to give.
  double read(int partition, uint32_t slab, int64_t bytes, Keep keep = Keep::Usual);

  /// Reads or writes a slab at its home alone, as what adds to sums in L2 does; the bytes of it
  /// that were not there.
  double touch(uint32_t slab, int64_t bytes);

  /// Output that nobody reads again.
  void write(int partition, int64_t bytes);

 private:
  // Lines of one kind of both partitions.
  struct Lines {
    Retention retention;
    std::vector<LruStack> stacks;  // by partition
    std::vector<double> owed;      // by line group: reads that its home has not seen
    double miss(size_t depth_class) const { return retention.miss[depth_class]; }
    LruStack& in(int partition) { return stacks[static_cast<size_t>(partition)]; }
  };

  Lines lines_of(int64_t room, int ways, int classes, uint32_t slabs) const;
  double read_far(Lines& lines, int partition, uint32_t line_group, int64_t bytes);
  void press(int partition, double bytes);

  int partitions_;
  double write_room_;
  bool evicts_first_;
  Lines usual_;
  Lines evicted_first_;  // what came in since counts, whatever it is
};

}  // namespace tilewright
