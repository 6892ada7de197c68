// Inverses, complements and ranges of layouts.
#pragma once

#include <cstdint>
#include <optional>

#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/derivation.hpp"
#include "layout/algebra/layout.hpp"

namespace tilewright {

/// The longest R with layout(R(i)) == i for all i < size(R). Throws a usage error for basis
/// strides.
Layout right_inverse(const Layout& layout, Derivation* why = nullptr);
/// L with L(layout(i)) == i for an injective layout; for other layouts, layout(L(layout(i))) ==
/// layout(i) at best. Throws a usage error for negative or basis strides, and for strides that do
/// not divide.
Layout left_inverse(const Layout& layout, Derivation* why = nullptr);

/// The same for swizzled layouts; the swizzle is moved through the inverse. Throws a usage error
/// for an offset other than 0, and if no swizzle fits.
ComposedLayout right_inverse(const ComposedLayout& layout, Derivation* why = nullptr);
ComposedLayout left_inverse(const ComposedLayout& layout, Derivation* why = nullptr);

/// A layout with offsets that, added to those of `layout`, cover [0, product(target)) rounded up.
/// Throws a usage error for negative or basis strides and for a layout that is not injective
/// (modes of stride 0 aside), naming the mode.
Layout complement(const Layout& layout, const IntTuple& target, Derivation* why = nullptr);

/// True if no two coordinates share an offset; nothing if the search gives up.
std::optional<bool> is_injective(const ComposedLayout& layout);

/// Smallest and largest offset, in elements.
struct OffsetRange {
  int64_t least = 0;
  int64_t most = 0;
  bool operator==(const OffsetRange&) const = default;
};

/// Returns nothing for basis strides, and if the search would take too long.
std::optional<OffsetRange> offset_range(const ComposedLayout& layout);

/// Elements of storage from offset 0, or from the lowest negative offset, to the highest one.
/// Unlike CuTe's cosize(), this includes the swizzle and the offset.
std::optional<int64_t> footprint(const ComposedLayout& layout);

}  // namespace tilewright
