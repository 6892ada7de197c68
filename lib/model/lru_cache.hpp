// A least-recently-used cache of numbered blocks of different sizes.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewright {

/// Holds blocks 0 to count - 1 up to `capacity_bytes`; the newest block always stays.
class LruCache {
 public:
  LruCache(size_t count, int64_t capacity_bytes)
      : links_(count + 1), bytes_(count, kAbsent), capacity_(capacity_bytes) {
    links_[count] = {static_cast<uint32_t>(count), static_cast<uint32_t>(count)};
  }

  /// Makes `block` the most recent; false when it was absent and had to be brought in.
  bool touch(uint32_t block, int32_t bytes) {
    const bool hit = bytes_[block] != kAbsent;
    if (hit) {
      unlink(block);
    } else {
      bytes_[block] = bytes;
      used_ += bytes;
    }
    link_newest(block);
    while (used_ > capacity_ && oldest() != block) drop(oldest());
    return hit;
  }

  /// Makes a block that is present the most recent; nothing happens to an absent one.
  void refresh(uint32_t block) {
    if (bytes_[block] == kAbsent) return;
    unlink(block);
    link_newest(block);
  }

 private:
  static constexpr int32_t kAbsent = -1;
  struct Link {
    uint32_t newer = 0;
    uint32_t older = 0;
  };

  // The last link closes the ring: its `older` is the newest block, its `newer` the oldest.
  uint32_t ring() const { return static_cast<uint32_t>(links_.size() - 1); }
  uint32_t oldest() const { return links_[ring()].newer; }

  void unlink(uint32_t block) {
    const Link link = links_[block];
    links_[link.newer].older = link.older;
    links_[link.older].newer = link.newer;
  }

  void link_newest(uint32_t block) {
    const uint32_t before = links_[ring()].older;
    links_[block] = {ring(), before};
    links_[before].newer = block;
    links_[ring()].older = block;
  }

  void drop(uint32_t block) {
    unlink(block);
    used_ -= bytes_[block];
    bytes_[block] = kAbsent;
  }

  std::vector<Link> links_;
  std::vector<int32_t> bytes_;
  int64_t capacity_ = 0;
  int64_t used_ = 0;
};

}  // namespace tilewright
