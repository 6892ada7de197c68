// Sizes that are joined by an x: "128x256x64", "13X10".
#pragma once

#include <string_view>
#include <vector>

namespace tilewright {

/// The parts between each 'x' or 'X', unread; "" has one empty part.
std::vector<std::string_view> split_sizes(std::string_view text);

}  // namespace tilewright
