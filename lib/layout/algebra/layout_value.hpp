// The values that a layout expression can have.
#pragma once

#include <string>
#include <variant>

#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/slice.hpp"
#include "layout/algebra/tiling.hpp"

namespace tilewright {

/// The result of a layout at a coordinate: an offset, or a coordinate if the strides are basis
/// vectors.
struct CodomainValue {
  IntTuple value;
  bool operator==(const CodomainValue&) const = default;
};

/// A pointer that CuTe prints in front of a layout; a swizzle before it acts on bytes.
struct PointerTag {
  int64_t element_bits = 8;
  bool operator==(const PointerTag&) const = default;
};

/// LayoutLeft or LayoutRight of CuTe C++: which mode of a compact layout runs fastest.
struct ModeOrder {
  bool last_first = false;
  bool operator==(const ModeOrder&) const = default;
};

/// An IntTuple is, depending on its position, a tuple, a compact layout, a tiler or a coordinate; a
/// SliceCoordinate with a free mode, "(_,4)", is a coordinate or a tiler.
using LayoutValue = std::variant<ComposedLayout, IntTuple, Tiler, Swizzle, PointerTag,
                                 CodomainValue, ModeOrder, SliceCoordinate>;

std::string to_string(const LayoutValue& value);
/// Converts to a layout; `what` names the position in error messages.
ComposedLayout as_layout(const LayoutValue& value, const std::string& what);
/// Converts to a layout without a swizzle.
Layout as_plain_layout(const LayoutValue& value, const std::string& what);
Tiler as_tiler(const LayoutValue& value, const std::string& what);
SliceCoordinate as_coordinate(const LayoutValue& value, const std::string& what);
IntTuple as_tuple(const LayoutValue& value, const std::string& what);
int64_t as_integer(const LayoutValue& value, const std::string& what);

}  // namespace tilewright
