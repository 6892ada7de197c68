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

/// Holds blocks 0 to count - 1, and unnamed ones that are never used again. Of these it keeps the
/// bytes alone, with the next newer block: only the bytes above a block decide on its class.
class LruStack {
 public:
  /// `bounds` ascend, bytes; at most 100.
  LruStack(size_t count, std::vector<int64_t> bounds)
      : nodes_(count, Node{.cls = static_cast<uint8_t>(bounds.size())}),
        bounds_(std::move(bounds)),
        held_(bounds_.size(), 0),
        oldest_(bounds_.size(), kNone) {}

  /// The class of the block's depth; the number of bounds when it is deeper or was never used.
  size_t depth_class(uint32_t block) {
    push_unnamed();
    return nodes_[block].cls;
  }

  /// Makes `block` the newest and returns the class that it had.
  size_t use(uint32_t block, int64_t bytes) {
    push_unnamed();
    const size_t before = nodes_[block].cls;
    if (block == newest_ && !covered_) return before;
    if (before < bounds_.size()) unlink(block);
    nodes_[block].bytes = bytes;
    link_newest(block);
    push_down(bytes, before);
    return before;
  }

  /// Makes an unnamed block of so many bytes the newest; it is never used again.
  void use_once(int64_t bytes) {
    waiting_bytes_ += bytes;
    waits_ = true;
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Node {
    uint32_t newer = kNone;
    uint32_t older = kNone;
    int64_t bytes = 0;
    int64_t below = 0;  // bytes of the unnamed blocks between this one and the next older
    uint8_t cls = 0;
  };

  // The next newer block, if it is of the same class.
  uint32_t newer_of_class(uint32_t block) const {
    const uint32_t newer = nodes_[block].newer;
    return newer != kNone && nodes_[newer].cls == nodes_[block].cls ? newer : kNone;
  }

  // Takes the block out; the unnamed blocks below it stay, below the next newer one.
  void unlink(uint32_t block) {
    const Node& node = nodes_[block];
    if (oldest_[node.cls] == block) oldest_[node.cls] = newer_of_class(block);
    const bool is_newest = node.newer == kNone;
    (is_newest ? newest_ : nodes_[node.newer].older) = node.older;
    if (node.older != kNone) nodes_[node.older].newer = node.newer;
    (is_newest ? bytes_above_ : nodes_[node.newer].below) += node.below;
    for (size_t cls = is_newest ? 0 : nodes_[node.newer].cls; cls < node.cls; ++cls) {
      held_[cls] += node.below;
    }
  }

  void link_newest(uint32_t block) {
    Node& node = nodes_[block];
    node.cls = 0;
    node.newer = kNone;
    node.older = newest_;
    node.below = std::exchange(bytes_above_, 0);
    covered_ = false;
    if (newest_ != kNone) nodes_[newest_].newer = block;
    newest_ = block;
    if (oldest_[0] == kNone) oldest_[0] = block;
  }

  // Moves all blocks down by the bytes of the unnamed ones that came since the last call.
  void push_unnamed() {
    if (!waits_) return;
    const int64_t bytes = std::exchange(waiting_bytes_, 0);
    waits_ = false;
    covered_ = true;
    bytes_above_ += bytes;
    push_down(bytes, bounds_.size());
  }

  // The blocks above the newest block's old place move down; those below stay.
  void push_down(int64_t bytes, size_t before) {
    const uint32_t on_top = covered_ ? kNone : newest_;
    for (size_t cls = 0; cls < before; ++cls) {
      held_[cls] += bytes;
      while (oldest_[cls] != kNone && oldest_[cls] != on_top &&
             held_[cls] - nodes_[oldest_[cls]].below > bounds_[cls]) {
        sink(oldest_[cls], cls);
      }
    }
  }

  void sink(uint32_t block, size_t cls) {
    Node& node = nodes_[block];
    held_[cls] -= node.bytes + node.below;
    oldest_[cls] = newer_of_class(block);
    const size_t below = cls + 1;
    if (below == bounds_.size()) {
      (node.newer == kNone ? newest_ : nodes_[node.newer].older) = node.older;
      if (node.older != kNone) nodes_[node.older].newer = node.newer;
    } else if (oldest_[below] == kNone) {
      oldest_[below] = block;
    }
    node.cls = static_cast<uint8_t>(below);
  }

  std::vector<Node> nodes_;
  std::vector<int64_t> bounds_;
  std::vector<int64_t> held_;     // by class: bytes of it and of those above, `below` included
  std::vector<uint32_t> oldest_;  // by class
  uint32_t newest_ = kNone;
  bool covered_ = false;       // an unnamed block is above the newest one
  int64_t bytes_above_ = 0;    // of the unnamed blocks above the newest one
  bool waits_ = false;         // unnamed blocks came that push_unnamed() has not seen
  int64_t waiting_bytes_ = 0;  // of these
};

}  // namespace tilewright
