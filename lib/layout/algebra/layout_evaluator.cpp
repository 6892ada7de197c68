#include "layout/algebra/layout_evaluator.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra/compose.hpp"

namespace tilewright {

LayoutEvaluator::LayoutEvaluator(const ComposedLayout& layout)
    : base_(layout.offset), size_(tilewright::size(layout.layout)) {
  if (has_basis(layout.layout)) {
    throw usage_error(format("{} maps to coordinates, not to offsets", to_string(layout.layout)));
  }
  std::vector<Layout> flat = flat_modes(coalesce(layout.layout));
  last_stride_ = flat.back().stride.value();
  last_extent_ = flat.back().shape.value();
  flat.pop_back();
  for (const Layout& one : flat) {
    const auto extent = static_cast<uint64_t>(one.shape.value());
    const bool power = std::has_single_bit(extent);
    inner_.push_back(
        {extent, power ? extent - 1 : 0, power ? std::countr_zero(extent) : 0, one.stride.value()});
  }
  narrow_ = size_ <= std::numeric_limits<uint32_t>::max();
  if (layout.swizzle) {
    y_mask_ = y_mask(*layout.swizzle);
    right_ = std::max(layout.swizzle->shift, 0);
    left_ = std::max(-layout.swizzle->shift, 0);
  }
}

void LayoutEvaluator::fill(int64_t first, std::span<int64_t> out) const {
  if (inner_.empty()) {
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = swizzled(base_ + (first + static_cast<int64_t>(i)) * last_stride_);
    }
    return;
  }
  // Goes along the fastest mode and computes the other modes once for each of its runs.
  const auto run = static_cast<int64_t>(inner_[0].extent);
  const int64_t stride = inner_[0].stride;
  size_t at = 0;
  while (at < out.size()) {
    const int64_t index = first + static_cast<int64_t>(at);
    const int64_t within = index % run;
    auto rest = static_cast<uint64_t>(index / run);
    int64_t offset = base_ + within * stride;
    for (size_t i = 1; i < inner_.size(); ++i) {
      offset += static_cast<int64_t>(rest % inner_[i].extent) * inner_[i].stride;
      rest /= inner_[i].extent;
    }
    offset += static_cast<int64_t>(rest) * last_stride_;
    const size_t count = std::min(out.size() - at, static_cast<size_t>(run - within));
    for (size_t i = 0; i < count; ++i) {
      out[at + i] = swizzled(offset + static_cast<int64_t>(i) * stride);
    }
    at += count;
  }
}

}  // namespace tilewright
