// What a layout expression can mean.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/derivation.hpp"
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

/// An IntTuple stands for itself, for a compact layout or for a tiler, as its place demands.
using LayoutValue =
    std::variant<ComposedLayout, IntTuple, Tiler, Swizzle, PointerTag, CodomainValue>;

std::string to_string(const LayoutValue& value);
/// As a layout; `what` names the place in errors.
ComposedLayout as_layout(const LayoutValue& value, const std::string& what);
/// As a layout without a swizzle.
Layout as_plain_layout(const LayoutValue& value, const std::string& what);
Tiler as_tiler(const LayoutValue& value, const std::string& what);
IntTuple as_tuple(const LayoutValue& value, const std::string& what);
int64_t as_integer(const LayoutValue& value, const std::string& what);

// The operations that expressions can call, by name.

/// Applies the operation `name` to its arguments and says how in `why`. Throws a usage error for an
/// unknown name, with a suggestion, for wrong arguments, and where the operation has no result.
LayoutValue call_operation(std::string_view name, const std::vector<LayoutValue>& arguments,
                           Derivation* why);

/// The names, sorted.
std::vector<std::string_view> operation_names();

}  // namespace tilewright
