// Prints layouts in the notations of other programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/derivation.hpp"

namespace tilewright {

enum class LayoutDialect { Canonical, CuteCpp, CuteDsl, Pycute, Cutegen, Triton };

/// The names of the dialects.
std::vector<std::string_view> layout_dialect_names();

/// "cute-cpp", "cute-dsl", "pycute", "cutegen" or "triton". Throws a usage error with a suggestion.
LayoutDialect parse_layout_dialect(std::string_view name);

/// The layout's text in the dialect. Throws a usage error with the reason where it has none.
std::string print_layout(const ComposedLayout& layout, LayoutDialect dialect);

/// Warnings where the dialect's program gives this layout another cosize or other strides than the
/// canonical ones, or does not support it.
std::vector<LayoutLint> dialect_lints(const ComposedLayout& layout, LayoutDialect dialect);

}  // namespace tilewright
