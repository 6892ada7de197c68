// The report of `analyze layout`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check_expression.hpp"
#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/derivation.hpp"
#include "layout/algebra/layout_value.hpp"
#include "layout/text/layout_dialect.hpp"

namespace tilewright {

/// Sizes are in elements.
struct LayoutReport {
  std::string text;               // canonical
  std::string dialect_text;       // in the requested dialect
  std::optional<IntTuple> value;  // of a layout applied to a coordinate; the rest is unset then
  ComposedLayout layout;
  int64_t size = 0;
  IntTuple cosize;  // an extent for each coordinate of basis strides
  std::optional<int64_t> footprint;
  size_t rank = 0;
  int depth = 0;
  std::optional<bool> injective;
  std::vector<LayoutLint> lint;
};

/// Evaluates an expression or a Triton attribute, and prints it in `dialect`. Warnings about other
/// dialects are left out. Throws a usage error as evaluate_layout() and parse_triton() do.
LayoutReport report_layout(std::string_view expression, LayoutDialect dialect, Derivation& why);

/// The value of an expression, or of an attribute of Triton or IREE. Statements may name values:
/// "using L = Layout<...>;", "#shared = #ttg..."; the value is the last statement's, which may use
/// the names defined before it.
LayoutValue read_layout(std::string_view program, Derivation* why = nullptr);

/// Every value in colexicographic order. Throws a usage error beyond kMaxListed of them.
std::vector<IntTuple> values_in_order(const ComposedLayout& layout);

/// Bytes of the footprint, rounded up; the report must have one.
int64_t footprint_bytes(const LayoutReport& report, int64_t element_bits);

/// The numbers that a check expression can name.
std::vector<NamedNumber> numbers_of(const LayoutReport& report);

/// A small layout as a grid of offsets for the terminal. Mode 0 runs down and mode 1 across,
/// further modes are slices below each other. It shows at most 64 rows, 64 columns and 16 slices
/// and then prints their total counts.
std::string grid_text(const ComposedLayout& layout);

}  // namespace tilewright
