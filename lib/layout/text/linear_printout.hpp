// Parses linear layouts as Triton's compiler prints them.
//
//      - register=1 -> (0, 1)
//        register=2 -> (8, 0)
//      - lane is a size 1 dimension
//     where out dims are: [dim0 (size 16), dim1 (size 2)]
#pragma once

#include <optional>
#include <string_view>

#include "layout/algebra/linear_layout.hpp"

namespace tilewright {

/// True where the text holds a basis such as "lane=1 -> (0, 1)".
bool is_linear_printout(std::string_view text);

/// Inputs keep the printed order. Outputs have the printed names and sizes; without them they are
/// dim0, dim1, ..., as large as the bases need. Throws a usage error if the bases of an input are
/// not 1, 2, 4, ... or have another rank.
LinearLayout parse_linear_printout(std::string_view text);

}  // namespace tilewright
