// Evaluates layout texts in every printed notation, and operations on them.
#pragma once

#include <string_view>

#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/derivation.hpp"
#include "layout/algebra/layout_value.hpp"

namespace tilewright {

/// The value of "(8,64):(64,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)", "composition(A,B)", "A o B",
/// "L(3,5)", "<3:3,_>", ...; calls may nest. Adds steps and warnings to `why`. Throws a usage error
/// that names the column, or the operation and mode.
LayoutValue evaluate_layout(std::string_view text, Derivation* why = nullptr);

/// As evaluate_layout(), for a text that evaluates to a layout; a shape alone is the compact
/// layout, first mode fastest.
ComposedLayout parse_layout(std::string_view text, Derivation* why = nullptr);

/// A nested tuple of integers, such as a coordinate.
IntTuple parse_int_tuple(std::string_view text);

}  // namespace tilewright
