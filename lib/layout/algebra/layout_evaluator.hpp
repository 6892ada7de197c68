// Evaluates a layout at many coordinates.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layout/algebra/composed_layout.hpp"

namespace tilewright {

/// Offsets by colexicographic index, without checks: modes are merged once, and extents that are
/// powers of two cost a shift instead of a division. Throws a usage error for basis strides.
class LayoutEvaluator {
 public:
  explicit LayoutEvaluator(const ComposedLayout& layout);
  explicit LayoutEvaluator(const Layout& layout) : LayoutEvaluator(ComposedLayout{{}, 0, layout}) {}

  int64_t size() const { return size_; }
  /// The offset of `index` in [0, size()).
  int64_t operator()(int64_t index) const {
    auto rest = static_cast<uint64_t>(index);
    int64_t offset = base_;
    for (const Mode& one : inner_) {
      uint64_t digit = rest & one.mask;
      if (one.mask != 0) {
        rest >>= one.shift;
      } else {
        const uint64_t quotient = quotient_of(rest, one.extent);
        digit = rest - quotient * one.extent;
        rest = quotient;
      }
      offset += static_cast<int64_t>(digit) * one.stride;
    }
    offset += static_cast<int64_t>(rest) * last_stride_;
    return swizzled(offset);
  }
  /// Writes the offsets of the indices from `first` on, one to each element of `out`; faster than
  /// single calls.
  void fill(int64_t first, std::span<int64_t> out) const;

 private:
  struct Mode {
    uint64_t extent;
    uint64_t mask;  // extent - 1 of a power of two, else 0
    int shift;
    int64_t stride;
  };

  int64_t swizzled(int64_t offset) const {
    const int64_t read = offset & y_mask_;
    return offset ^ ((read >> right_) << left_);
  }
  // A 32-bit division is several times as fast as a 64-bit one.
  uint64_t quotient_of(uint64_t a, uint64_t b) const {
    if (narrow_) return static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
    return a / b;
  }

  std::vector<Mode> inner_;  // all modes but the last
  int64_t last_stride_ = 0;
  int64_t last_extent_ = 1;
  int64_t base_ = 0;
  int64_t size_ = 1;
  int64_t y_mask_ = 0;
  int right_ = 0;
  int left_ = 0;
  bool narrow_ = false;
};

}  // namespace tilewright
