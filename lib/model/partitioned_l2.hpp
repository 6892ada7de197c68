// An L2 cache of one or two partitions.
//
// Of two, each is the home of half of the lines. A multiprocessor reads through the partition it is
// attached to: a line whose home is the other one is kept in both. So what all multiprocessors
// read takes twice its room, and what those of one side read alone takes less.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tile/workload/device_spec.hpp"

namespace tilewright {

// The order in which blocks were last used, newest first, cut into classes of depth.
//
//   newest | class 0 | class 1 | ... | class n-1 | gone
//          0      bounds[0]  bounds[1]     bounds[n-1]   bytes of other blocks used since
//
// A block's class says how much was used since its last use: all that a replacement policy of
// least recent use can know of it.

/// Holds blocks 0 to count - 1, and nameless ones that are never used again.
class LruStack {
 public:
  /// `bounds` ascend, bytes; at most 100.
  LruStack(size_t count, std::vector<int64_t> bounds)
      : nodes_(count, Node{.cls = static_cast<uint8_t>(bounds.size())}),
        named_(count),
        bounds_(std::move(bounds)),
        held_(bounds_.size(), 0),
        oldest_(bounds_.size(), kNone) {}

  /// The class of the block's depth; the number of bounds when it is deeper or was never used.
  size_t depth_class(uint32_t block) const { return nodes_[block].cls; }

  /// Makes `block` the newest and gives the class that it had.
  size_t use(uint32_t block, int64_t bytes) {
    const size_t before = nodes_[block].cls;
    if (block == newest_) return before;
    if (before < bounds_.size()) unlink(block);
    nodes_[block].bytes = bytes;
    link_newest(block);
    push_down(block, before);
    return before;
  }

  /// Puts a block that nobody uses again on top of the others.
  void use_once(int64_t bytes) {
    if (free_.empty()) {
      free_.push_back(static_cast<uint32_t>(nodes_.size()));
      nodes_.push_back({.cls = static_cast<uint8_t>(bounds_.size())});
    }
    const uint32_t block = free_.back();
    free_.pop_back();
    use(block, bytes);
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Node {
    uint32_t newer = kNone;
    uint32_t older = kNone;
    int64_t bytes = 0;
    uint8_t cls = 0;
  };

  // The block above, if it is of the same class.
  uint32_t newer_of_class(uint32_t block) const {
    const uint32_t newer = nodes_[block].newer;
    return newer != kNone && nodes_[newer].cls == nodes_[block].cls ? newer : kNone;
  }

  void unlink(uint32_t block) {
    const Node& node = nodes_[block];
    if (oldest_[node.cls] == block) oldest_[node.cls] = newer_of_class(block);
    (node.newer == kNone ? newest_ : nodes_[node.newer].older) = node.older;
    if (node.older != kNone) nodes_[node.older].newer = node.newer;
  }

  void link_newest(uint32_t block) {
    Node& node = nodes_[block];
    node.cls = 0;
    node.newer = kNone;
    node.older = newest_;
    if (newest_ != kNone) nodes_[newest_].newer = block;
    newest_ = block;
    if (oldest_[0] == kNone) oldest_[0] = block;
  }

  // The blocks above the old place of the newest are one deeper; those below stay as they are.
  void push_down(uint32_t newest, size_t before) {
    for (size_t cls = 0; cls < before; ++cls) {
      held_[cls] += nodes_[newest].bytes;
      while (held_[cls] > bounds_[cls] && oldest_[cls] != kNone && oldest_[cls] != newest) {
        sink(oldest_[cls], cls);
      }
    }
  }

  void sink(uint32_t block, size_t cls) {
    held_[cls] -= nodes_[block].bytes;
    oldest_[cls] = newer_of_class(block);
    const size_t below = cls + 1;
    if (below == bounds_.size()) {
      Node& node = nodes_[block];
      (node.newer == kNone ? newest_ : nodes_[node.newer].older) = node.older;
      if (node.older != kNone) nodes_[node.older].newer = node.newer;
      if (block >= named_) free_.push_back(block);
    } else if (oldest_[below] == kNone) {
      oldest_[below] = block;
    }
    nodes_[block].cls = static_cast<uint8_t>(below);
  }

  std::vector<Node> nodes_;
  size_t named_;
  std::vector<int64_t> bounds_;
  std::vector<int64_t> held_;     // by class: bytes of it and of those above
  std::vector<uint32_t> oldest_;  // by class
  std::vector<uint32_t> free_;    // nameless blocks that have sunk
  uint32_t newest_ = kNone;
};

// Whether a cache still holds what was used some bytes ago.

/// The chance that a line is gone when `used_since` bytes of other lines came after it: they fall
/// into the sets of a cache of `ways` ways at random, and each set drops its least recently used.
double miss_chance(double used_since_bytes, double capacity_bytes, int ways);

/// Classes of depth for an LruStack and the chance of each; the last one, 1, is that of everything
/// deeper.
struct Retention {
  std::vector<int64_t> bounds;
  std::vector<double> miss;  // by class: one more than bounds
};

/// Of a cache of `ways` ways; at least 2 classes: all that is surely kept is one, the others part
/// the depths where the chance changes.
Retention retention_of(int64_t capacity_bytes, int ways, int classes);

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
