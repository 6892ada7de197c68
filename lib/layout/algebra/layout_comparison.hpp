// Compares two layouts as functions.
#pragma once

#include <optional>
#include <string>

#include "layout/algebra/composed_layout.hpp"

namespace tilewright {

/// The first index, in colexicographic order, at which two layouts differ.
struct LayoutDifference {
  int64_t index = 0;
  IntTuple coordinate;  // of the first layout
  IntTuple first;
  IntTuple second;
  bool operator==(const LayoutDifference&) const = default;
};

/// Compares by index, so the shapes may differ. Layouts of different size are not equal, even if
/// one is a prefix of the other; then there is no first difference.
struct LayoutComparison {
  bool equal = false;
  std::string reason;  // empty if equal
  std::optional<LayoutDifference> difference;
  bool operator==(const LayoutComparison&) const = default;
};

/// Compares every index. Throws a usage error beyond 2^28 of them, unless the texts agree.
LayoutComparison compare(const ComposedLayout& a, const ComposedLayout& b);

}  // namespace tilewright
