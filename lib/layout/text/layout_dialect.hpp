// Layouts as other programs print them.
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

/// The layout in that dialect's spelling. Throws a usage error that says why it has none.
std::string print_layout(const ComposedLayout& layout, LayoutDialect dialect);

/// Where that dialect's own numbers about the layout differ from the canonical ones.
std::vector<LayoutLint> dialect_lints(const ComposedLayout& layout, LayoutDialect dialect);

}  // namespace tilewright
