// A layout followed by an offset and a swizzle: Sw o offset o layout.
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

/// Leaves out a swizzle that changes nothing. Throws a usage error for a negative offset, and for
/// an offset without a swizzle.
ComposedLayout make_composed(std::optional<Swizzle> swizzle, int64_t offset, Layout layout);

/// The swizzled offset of a coordinate or index. Throws a usage error out of range.
int64_t offset_at(const ComposedLayout& layout, const IntTuple& coord);
/// The same, also for basis strides.
IntTuple value_at(const ComposedLayout& layout, const IntTuple& coord);
/// "Sw<3,3,3> o 0 o (8,64):(64,1)", or the plain layout.
std::string to_string(const ComposedLayout& layout);

/// Operations that depend on the swizzle; all others act on the inner layout. Returns a after b; if
/// b is swizzled, moves its swizzle through a. Throws a usage error if the result has no form Sw o
/// offset o layout.
ComposedLayout composition(const ComposedLayout& a, const ComposedLayout& b,
                           Derivation* why = nullptr);
/// Sw o layout, or Sw merged with the swizzle that the layout already has.
ComposedLayout composition(const Swizzle& a, const ComposedLayout& b);
/// layout o Sw as Sw' o layout. Throws a usage error if there is no such Sw'.
ComposedLayout composition(const Layout& a, const Swizzle& b, Derivation* why = nullptr);

}  // namespace tilewright
