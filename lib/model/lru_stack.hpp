// The order in which blocks were last used, newest first, cut into classes of depth.
//
//   newest | class 0 | class 1 | ... | class n-1 | gone
//          0      bounds[0]  bounds[1]     bounds[n-1]   bytes of other blocks used since
//
// A block's class bounds the bytes used since its last use, which is all that LRU replacement
// depends on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tilewright {

/// Holds blocks 0 to count - 1, and unnamed ones that are never used again.
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

  /// Makes `block` the newest and returns the class that it had.
  size_t use(uint32_t block, int64_t bytes) {
    const size_t before = nodes_[block].cls;
    if (block == newest_) return before;
    if (before < bounds_.size()) unlink(block);
    nodes_[block].bytes = bytes;
    link_newest(block);
    push_down(block, before);
    return before;
  }

  /// Makes an unnamed block of so many bytes the newest; it is never used again.
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

  // The next newer block, if it is of the same class.
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

  // The blocks above the newest block's old place move down; those below stay.
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

}  // namespace tilewright
