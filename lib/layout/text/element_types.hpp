// The types of elements between the angle brackets of a template.
#pragma once

#include <cstdint>
#include <vector>

#include "layout/text/layout_lexer.hpp"

namespace tilewright {

/// The bits of each type of "<half_t>" or "<uint128_t, half_t>". Throws a usage error for another
/// number of types, or an unknown one.
std::vector<int64_t> element_types(LayoutLexer& lexer, size_t count);

}  // namespace tilewright
