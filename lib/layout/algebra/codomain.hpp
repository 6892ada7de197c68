// What of its codomain a layout uses: injectivity and footprint.
#pragma once

#include <cstdint>
#include <optional>

#include "layout/algebra/composed_layout.hpp"

namespace tilewright {

/// Whether no two coordinates share an offset; nothing where the search gives up.
std::optional<bool> is_injective(const ComposedLayout& layout);

/// Smallest and largest offset, in elements.
struct OffsetRange {
  int64_t least = 0;
  int64_t most = 0;
  bool operator==(const OffsetRange&) const = default;
};

/// Nothing for basis strides, and where the search would take too long.
std::optional<OffsetRange> offset_range(const ComposedLayout& layout);

/// Elements of storage from offset 0, or from the lowest negative offset, to the highest one.
/// CuTe's cosize() does not look at the swizzle and the offset, this does.
std::optional<int64_t> footprint(const ComposedLayout& layout);

}  // namespace tilewright
