// Shares of a hundred as people write them.
#pragma once

#include <optional>
#include <string_view>

namespace tilewright {

/// The number of "1.5", "1.5%" or "1.5 %": percent with and without the sign. Nothing for other
/// text, or no finite number.
std::optional<double> parse_percent(std::string_view text);

}  // namespace tilewright
