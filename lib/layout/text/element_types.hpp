// Reads the types of elements, alone or in a template's angle brackets.
#pragma once

#include <cstdint>
#include <vector>

#include "layout/text/layout_lexer.hpp"

namespace tilewright {

/// The bit width of the type "half_t" or "Float16". Throws a usage error for an unknown type.
int64_t element_type(LayoutLexer& lexer);
/// The bit widths of the `count` types in "<half_t>" or "<uint128_t, half_t>". Throws a usage error
/// for an unknown type or another number of types.
std::vector<int64_t> element_types(LayoutLexer& lexer, size_t count);

}  // namespace tilewright
