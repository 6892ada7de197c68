// What a layout expression can mean.
#pragma once

#include <string>
#include <variant>

#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/tiling.hpp"

namespace tilewright {

/// The result of a layout at a coordinate: an offset, or a coordinate where strides are basis
/// vectors.
struct CodomainValue {
  IntTuple value;
  bool operator==(const CodomainValue&) const = default;
};

/// A pointer as CuTe prints it in front of a layout; a swizzle before it works on bytes.
struct PointerTag {
  int64_t element_bits = 8;
  bool operator==(const PointerTag&) const = default;
};

/// LayoutLeft or LayoutRight of CuTe C++: which mode of a compact layout runs fastest.
struct ModeOrder {
  bool last_first = false;
  bool operator==(const ModeOrder&) const = default;
};

/// An IntTuple stands for itself, for a compact layout or for a tiler, as its place demands.
using LayoutValue =
    std::variant<ComposedLayout, IntTuple, Tiler, Swizzle, PointerTag, CodomainValue, ModeOrder>;

std::string to_string(const LayoutValue& value);
/// As a layout; `what` names the place in errors.
ComposedLayout as_layout(const LayoutValue& value, const std::string& what);
/// As a layout without a swizzle.
Layout as_plain_layout(const LayoutValue& value, const std::string& what);
Tiler as_tiler(const LayoutValue& value, const std::string& what);
IntTuple as_tuple(const LayoutValue& value, const std::string& what);
int64_t as_integer(const LayoutValue& value, const std::string& what);

}  // namespace tilewright
