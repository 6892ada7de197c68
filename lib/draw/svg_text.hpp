// What Cairo writes as SVG, made small and the same each time.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

/// The same picture with path coordinates of two decimals, a title (what browsers show and screen
/// readers say) and an id that does not count the surfaces of the process.
std::string settled_svg(std::string_view svg, std::string_view title);

}  // namespace tilewright
