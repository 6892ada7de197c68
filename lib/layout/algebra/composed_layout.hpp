// A layout behind an offset and a swizzle: Sw o offset o layout.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "layout/algebra/derivation.hpp"
#include "layout/algebra/layout.hpp"
#include "layout/algebra/swizzle.hpp"
#include "layout/algebra/tiling.hpp"

namespace tilewright {

/// Maps a coordinate c to swizzle(offset + layout(c)), in elements. Without a swizzle the offset is
/// 0.
struct ComposedLayout {
  std::optional<Swizzle> swizzle;
  int64_t offset = 0;
  Layout layout;
  bool operator==(const ComposedLayout&) const = default;
};

/// A swizzle that changes nothing is left out. Throws a usage error for an offset that is negative
/// or without a swizzle.
ComposedLayout make_composed(std::optional<Swizzle> swizzle, int64_t offset, Layout layout);

/// The swizzled offset of a coordinate or index. Throws a usage error out of range.
int64_t offset_at(const ComposedLayout& layout, const IntTuple& coord);
/// The same for basis strides too.
IntTuple value_at(const ComposedLayout& layout, const IntTuple& coord);
/// "Sw<3,3,3> o 0 o (8,64):(64,1)", or the plain layout.
std::string to_string(const ComposedLayout& layout);

/// Operations whose result a swizzle takes part in; all others act on the layout below it. a after
/// b. Where b is swizzled, its swizzle is carried through a. Throws a usage error where the result
/// is no Sw o offset o layout.
ComposedLayout composition(const ComposedLayout& a, const ComposedLayout& b,
                           Derivation* why = nullptr);
/// Sw o layout, or Sw merged with the swizzle that the layout already has.
ComposedLayout composition(const Swizzle& a, const ComposedLayout& b);
/// layout o Sw as Sw' o layout. Throws a usage error where there is no such Sw'.
ComposedLayout composition(const Layout& a, const Swizzle& b, Derivation* why = nullptr);

}  // namespace tilewright
